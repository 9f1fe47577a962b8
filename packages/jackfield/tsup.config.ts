import { packageBuild } from "../../tsup.base.ts";

/**
 * Each entry has a build of its own. In one build the bundler would make a file for each set of commands that share something with the
 * library, and whoever starts with the library, or with one command, would load most of them: to find a file takes longer than to read
 * what stands in it twice. The library is a single file, which the other build leaves where it is.
 */
export default [
  packageBuild(["src/index.ts"], { clean: false }),
  packageBuild(["src/command-line.ts"], { clean: ["!index.js", "!index.js.map"] }),
];
