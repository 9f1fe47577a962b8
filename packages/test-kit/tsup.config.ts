import { packageBuild } from "../../tsup.base.ts";

// The stdio fault server is a program of its own: `stdioFaultServer` tells its path.
export default packageBuild(["src/index.ts", "src/servers/stdio-fault-process.ts"]);
