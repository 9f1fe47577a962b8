import { packageBuild } from "../../tsup.base.ts";

export default packageBuild([
  "src/index.ts",
  "src/content-bytes.ts",
  "src/name-pattern.ts",
  "src/search/index.ts",
  "src/search/on-demand.ts",
  "src/unparsed-schema.ts",
]);
