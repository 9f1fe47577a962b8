import { resolve } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];
type Esbuild = Parameters<Plugin["setup"]>[0]["esbuild"];

/**
 * Puts what several entries share into files that are named here: each layer is one file, with all that its module imports and no layer
 * before it has. Left to itself, the bundler makes a file for each set of entries that share something, and a program that
 * starts loads most of them: to find a file takes as long as to compile thirty kilobytes.
 *
 * @param layers - the module of each layer by the name of its file, the one that is loaded first before the others
 */
export function layered(layers: { readonly [name: string]: string }): Plugin {
  return {
    name: "layers",
    async setup({ initialOptions, esbuild, onResolve, onLoad }) {
      const entries = { ...(initialOptions.entryPoints as Record<string, string>) };
      // What is an entry says what is public of what it imports, and has nothing itself.
      const layerOf = new Map(Object.values(entries).map((entry) => [resolve(entry), ENTRY]));
      for (const [name, module] of Object.entries(layers)) {
        entries[name] = `${LAYER}${name}`;
        for (const file of await reachedFrom(module, esbuild))
          if (!layerOf.has(file)) layerOf.set(file, name);
      }
      initialOptions.entryPoints = entries;

      onResolve({ filter: new RegExp(`^${LAYER}`) }, ({ path }) => ({
        path: path.slice(LAYER.length),
        namespace: "layer",
      }));
      onResolve({ filter: /^\./ }, ({ path, importer, kind, resolveDir }) => {
        const layer = layerOf.get(resolve(resolveDir, path)) ?? ENTRY;
        const isOutside = kind !== "entry-point" && layer !== ENTRY && layerOf.get(importer) !== layer;
        return isOutside ? { path: `./${layer}.js`, external: true } : undefined;
      });
      // A layer exports all that is in it; what a package exports is what its entries export.
      onLoad({ filter: /./, namespace: "layer" }, ({ path }) => {
        const files = [...layerOf].filter(([, layer]) => layer === path).map(([file]) => file);
        const contents = files.map((file) => `export * from ${JSON.stringify(file)};`).join("\n");
        return { contents, resolveDir: process.cwd() };
      });
    },
  };
}

/** No path begins like this; what does not look like one would be taken for a package. */
const LAYER = "./layer:";
const ENTRY = "";

/** The module, and every module of this package that is loaded with it. */
async function reachedFrom(module: string, { build }: Esbuild): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [module],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  const reached = new Set([module]);
  for (const file of reached)
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? [])
      if (kind === "import-statement" && external !== true) reached.add(path);
  return [...reached].map((file) => resolve(file));
}
