import { resolve } from "node:path";
import type { Logger, ToolCache } from "@jackfield/mcp-core";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** The catalog of a runtime; missing if the caller wants none. */
export interface RuntimeCatalog {
  readonly cache: ToolCache | undefined;
  /** Closes the catalog if it was opened here. */
  release(): Promise<void>;
}

export interface RuntimeCatalogOptions extends Pick<OpenMcpOptions, "cache" | "cwd"> {
  readonly log: Logger;
  readonly isHomeKnown: boolean;
}

/** Opens the catalog on disk, unless the caller has one or wants none. Its package is loaded only if it is opened. */
export async function openCatalog({
  cache: option,
  cwd = ".",
  log,
  isHomeKnown,
}: RuntimeCatalogOptions): Promise<RuntimeCatalog> {
  if (option === false) return { cache: undefined, release: async () => {} };
  if (option !== undefined && "getMany" in option) return { cache: option, release: async () => {} };
  const { path: named, busyTimeoutMs, maxBytes } = option ?? {};
  const { sqliteToolCache } = await import("@jackfield/mcp-tool-cache");
  const path = named === undefined ? undefined : resolve(cwd, named);
  const hasPlace = isHomeKnown || path !== undefined || Boolean(process.env.XDG_CACHE_HOME);
  const catalogLog = hasPlace ? log : withoutFirst(log);
  const cache = sqliteToolCache({ path, busyTimeoutMs, maxBytes, log: catalogLog });
  return { cache, release: () => cache.close() };
}

/** Drops the first message: a catalog without a directory says that it has none, which `NO_STATE_DIRECTORY_WARNING` has said. */
function withoutFirst(log: Logger): Logger {
  let isFirst = true;
  return (...said) => {
    if (!isFirst) log(...said);
    isFirst = false;
  };
}
