import { copyFile, mkdir, readFile } from "node:fs/promises";
import type { Options } from "tsup";
import { packageBuild } from "../../tsup.base.ts";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** What needs Node is a file of its own beside the contract, which it imports as everybody does: the contract must stay one file. */
const apart: Plugin = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/index\.ts$/ }, () => ({ path: "./index.js", external: true }));
    onResolve({ filter: /^undici$/ }, () => ({ path: "./undici.js", external: true }));
  },
};

/** An ES module has no `require`, whoever bundles it. All that undici requires is part of Node. */
const withoutRequire: Plugin = {
  name: "without-require",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(
        /\brequire\((?=["']node:)/g,
        "process.getBuiltinModule(",
      ),
    }));
  },
};

export default [
  packageBuild(["src/index.ts", "src/node.ts"], {
    noExternal: ["undici"],
    esbuildPlugins: [apart],
    clean: false,
  }),
  packageBuild([], {
    entry: { undici: "node_modules/undici/index.js" },
    noExternal: [/./],
    esbuildPlugins: [withoutRequire],
    clean: ["!index.*", "!node.*"],
    async onSuccess() {
      await mkdir("dist/licenses", { recursive: true });
      await copyFile("node_modules/undici/LICENSE", "dist/licenses/undici.txt");
    },
  }),
];
