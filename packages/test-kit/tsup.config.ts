import { packageBuild } from "../../tsup.base.ts";

// The fault servers that run as processes are programs of their own; this package tells or starts them by their paths.
export default packageBuild([
  "src/index.ts",
  "src/servers/stdio-fault-process.ts",
  "src/servers/http-fault-process.ts",
]);
