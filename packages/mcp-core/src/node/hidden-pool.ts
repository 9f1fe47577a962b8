interface PostgresStore {
  query(text: string): Promise<unknown>;
  readonly opts?: { readonly uri?: unknown };
  readonly uri?: unknown;
}

/**
 * Hears the errors of the pool that `@keyv/postgres` (2.2 and 6.0 beta) keeps to itself: when the database closes an idle connection,
 * node-postgres ends the process unless somebody listens to that pool. A pool shows itself when it is asked something; the class is
 * found among the loaded modules. See decision 34.
 */
export async function hearHiddenPool(store: object, heard: (error: unknown) => void): Promise<void> {
  const { query, opts, uri = opts?.uri } = store as Partial<PostgresStore>;
  if (typeof query !== "function" || typeof uri !== "string") return;
  // The cache is one for all, wherever it is asked for. Bundlers follow what is imported, and warn of it.
  const { createRequire } = process.getBuiltinModule("node:module");
  const loaded = Object.entries(createRequire(process.execPath).cache);
  const classes = loaded.flatMap(([path, module]) => {
    const isPoolModule = module !== undefined && /[\\/]pg-pool[\\/]index\.js$/.test(path);
    return isPoolModule ? [module.exports as { readonly prototype: PoolClass }] : [];
  });
  const restore = classes.map(({ prototype: pools }) => {
    const ask = pools.query;
    let isFound = false;
    const shown = function (this: HiddenPool, ...asked: unknown[]): unknown {
      if (!isFound && this.options?.connectionString === uri) {
        isFound = true;
        this.on("error", heard);
      }
      return ask.apply(this, asked);
    };
    pools.query = shown;
    return () => {
      isFound = true;
      if (pools.query === shown) pools.query = ask;
    };
  });
  await Promise.resolve(query.call(store, "SELECT 1")).catch(() => {});
  for (const each of restore) each();
}

interface HiddenPool {
  on(event: "error", listener: (error: unknown) => void): unknown;
  readonly options?: { readonly connectionString?: unknown };
}

interface PoolClass {
  query(this: HiddenPool, ...asked: unknown[]): unknown;
}
