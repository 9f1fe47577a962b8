import { packageBuild } from "../tsup.base.ts";

export default packageBuild([
  "src/main.ts",
  "src/measure.ts",
  "src/read-catalog.ts",
  "src/servers/stdio.ts",
  "src/servers/http.ts",
]);
