import { packageBuild } from "../../tsup.base.ts";
import { inLayers } from "../../tsup.layers.ts";

/**
 * Each entry has a build of its own. In one build the bundler would make a file for each set of commands that share something with the
 * library, and whoever starts with the library, or with one command, would load most of them: to find a file takes longer than to read
 * what stands in it twice. The library is a single file, which the other build leaves where it is. What every command needs is a file
 * of its own.
 */
export default [
  packageBuild(["src/index.ts"], { clean: false }),
  packageBuild(["src/command-line.ts"], {
    entry: { "command-line": "src/command-line.ts" },
    clean: ["!index.js", "!index.js.map"],
    ...inLayers({ commands: "src/run-command-line.ts" }),
  }),
];
