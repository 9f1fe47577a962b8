import { readFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

/** The one build every package uses: ESM for Node 22, declarations by `tsc` afterwards (decision 2 of the design). */
export function packageBuild(entry: string[], overrides: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: ["esm"],
    target: "node22",
    platform: "node",
    sourcemap: true,
    // The maps name the sources, which are in the package as well.
    esbuildOptions: (options) => {
      options.sourcesContent = false;
    },
    clean: true,
    dts: false,
    skipNodeModulesBundle: true,
    // A program that bundles a package moves it away from its manifest.
    define: { PACKAGE_VERSION: JSON.stringify(JSON.parse(readFileSync("package.json", "utf8")).version) },
    removeNodeProtocol: false, // tsup would turn "node:sqlite" into "sqlite", which does not exist
    ...overrides,
  });
}
