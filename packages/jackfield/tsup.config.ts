import { packageBuild } from "../../tsup.base.ts";

/**
 * The library and the command line are built apart. In one build the bundler would make a file for each set of commands that share
 * something with the library, and a program that starts loads most of them: to find a file takes longer than to read twice what
 * stands in it.
 */
export default [
  packageBuild(["src/index.ts"], { clean: false }),
  packageBuild([], {
    entry: { "command-line": "src/command-line.ts", commands: "src/run-command-line.ts" },
    clean: ["!index.js", "!index.js.map"],
  }),
];
