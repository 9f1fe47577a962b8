import { copyFile, mkdir } from "node:fs/promises";
import type { Options } from "tsup";
import { packageBuild } from "../../tsup.base.ts";

/**
 * Taken into the package: `@keyv/sqlite` names `better-sqlite3`, which is compiled where it is installed, as a dependency, and
 * never loads it with the driver it is given here.
 */
const BUNDLED = ["@keyv/sqlite", "hookified"];

/** The drivers of `@keyv/sqlite`, none of which is used here. Other people's bundlers must not look for what they import. */
const DRIVERS = /^(\.\/.*-sqlite3?-driver.*|bun:sqlite)$/;

const withoutDrivers: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "without-drivers",
  setup(build) {
    build.onResolve({ filter: DRIVERS }, () => ({ path: "driver", namespace: "absent" }));
    build.onLoad({ filter: /^driver$/, namespace: "absent" }, () => ({
      contents: 'throw new Error("This build has no driver of its own."); export {};',
    }));
  },
};

export default packageBuild(["src/index.ts"], {
  noExternal: [...BUNDLED, "bun:sqlite"],
  esbuildPlugins: [withoutDrivers],
  async onSuccess() {
    await mkdir("dist/licenses", { recursive: true });
    for (const name of BUNDLED) {
      await copyFile(`node_modules/${name}/LICENSE`, `dist/licenses/${name.replace("@keyv/", "keyv-")}.txt`);
    }
  },
});
