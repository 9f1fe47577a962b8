import { packageBuild } from "../../tsup.base.ts";

/** What needs Node is a file of its own beside the contract, which it imports as everybody does: the contract must stay one file. */
export default packageBuild(["src/index.ts", "src/node.ts"], {
  esbuildPlugins: [
    {
      name: "contract-stays-whole",
      setup({ onResolve }) {
        onResolve({ filter: /^\.\.\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
      },
    },
  ],
});
