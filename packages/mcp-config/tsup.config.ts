import { packageBuild } from "../../tsup.base.ts";
import { inLayers } from "../../tsup.layers.ts";

export default packageBuild(["src/index.ts", "src/runtime.ts"], {
  entry: { index: "src/index.ts", runtime: "src/runtime.ts" },
  // What every start needs, and what is loaded where there is a file to read.
  ...inLayers({ start: "src/runtime.ts", files: "src/discovery/file-sources.ts" }),
});
