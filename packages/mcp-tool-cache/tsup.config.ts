import { realpathSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Options } from "tsup";
import { packageBuild } from "../../tsup.base.ts";

const KEYV_SQLITE = realpathSync("node_modules/@keyv/sqlite");

/**
 * Taken into the package, with their licences: `@keyv/sqlite` names `better-sqlite3`, which is compiled where it is installed, as
 * a dependency, and never loads it with the driver it is given here. `hookified` is what it rests on.
 */
const BUNDLED = {
  "@keyv/sqlite": KEYV_SQLITE,
  hookified: join(KEYV_SQLITE, "..", "..", "hookified"),
};

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
  noExternal: [...Object.keys(BUNDLED), "bun:sqlite"],
  esbuildPlugins: [withoutDrivers],
  async onSuccess() {
    await mkdir("dist/licenses", { recursive: true });
    for (const [name, folder] of Object.entries(BUNDLED)) {
      await copyFile(
        join(folder, "LICENSE"),
        join("dist/licenses", `${name.replace(/^@keyv./, "keyv-")}.txt`),
      );
    }
  },
});
