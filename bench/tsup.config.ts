import { packageBuild } from "../tsup.base.ts";

export default packageBuild([
  "src/main.ts",
  "src/measure.ts",
  "src/read-catalog.ts",
  "src/read-rows.ts",
  "src/read-tool-cache.ts",
  "src/servers/stdio.ts",
  "src/servers/http.ts",
]);
