import { packageBuild } from "../../tsup.base.ts";

export default packageBuild(["src/index.ts", "src/name-pattern.ts", "src/unparsed-schema.ts"]);
