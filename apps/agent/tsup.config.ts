import { packageBuild } from "../../tsup.base.ts";

export default packageBuild(["src/main.ts", "src/demo-command-line.ts"]);
