import { join } from "node:path";
import type { CatalogSize } from "./catalog-size.ts";
import type { Figures } from "./measurement.ts";
import { type MeasuringOptions, runMeasuringProcess } from "./measuring-process.ts";
import type { ToolCacheRequest } from "./read-tool-cache.ts";
import { scriptPath } from "./script-path.ts";

/** A catalog is read, by the tool cache or by the bare runtime. */
export interface CatalogStep {
  readonly kind: "catalog";
  readonly subject: "tool-cache" | "bare-node";
  readonly size: CatalogSize;
}

/** The steps of one round, those that are compared with each other together. */
export function catalogSteps(sizes: readonly CatalogSize[]): CatalogStep[][] {
  return sizes.map((size) => [
    { kind: "catalog", subject: "tool-cache", size },
    { kind: "catalog", subject: "bare-node", size },
  ]);
}

/** Fills the catalogs that are read later. */
export async function fillCatalogs(sizes: readonly CatalogSize[], options: MeasuringOptions): Promise<void> {
  for (const size of sizes)
    await readThroughCache({ ...size, directory: placeOf(size, options), fill: true }, options);
}

export function readCatalog({ subject, size }: CatalogStep, options: MeasuringOptions): Promise<Figures> {
  const directory = placeOf(size, options);
  if (subject === "tool-cache") return readThroughCache({ ...size, directory }, options);
  return runMeasuringProcess(scriptPath("read-rows"), join(directory, "catalog.sqlite"), options);
}

function readThroughCache(request: ToolCacheRequest, options: MeasuringOptions): Promise<Figures> {
  return runMeasuringProcess(scriptPath("read-tool-cache"), JSON.stringify(request), options);
}

function placeOf({ servers, toolsEach }: CatalogSize, { workplace }: MeasuringOptions): string {
  return join(workplace.directory, `entries-${servers}x${toolsEach}`);
}
