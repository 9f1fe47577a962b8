import { packageBuild } from "../tsup.base.ts";

export default packageBuild(
  [
    "src/main.ts",
    "src/find-servers.ts",
    "src/guards.ts",
    "src/measure.ts",
    "src/read-catalog.ts",
    "src/read-rows.ts",
    "src/read-tool-cache.ts",
    "src/servers/stdio.ts",
    "src/servers/http.ts",
  ],
  // Every program is one file: how many files one is spread over would be a part of what is measured.
  { splitting: false },
);
