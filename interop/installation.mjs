// Where the servers are: the four small ones in the workspace, all ten in a folder of their own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const ownFolder = join(here, ".servers");
const workspaceFolder = join(here, "..", "packages", "mcp-transports");

/**
 * Options that keep npm from running what it installs, and from writing down where it comes from. Peers of forty servers are not reconciled: that
 * takes npm longer than all the rest.
 */
const QUIET = [
  "--legacy-peer-deps",
  "--ignore-scripts",
  "--no-package-lock",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

/** The folder whose `node_modules` has the small servers, as a dependency of a package of the workspace. */
export function workspaceInstallation() {
  return workspaceFolder;
}

/** The folder whose `node_modules` has all of them; installs them unless they are there as pinned. */
export function ownInstallation() {
  return install(join(here, "package.json"), ownFolder);
}

/** Installs what a manifest pins into a folder, unless it is there. Returns the folder. */
export function install(manifest, folder) {
  const pinned = readFileSync(manifest, "utf8");
  const done = join(folder, "installed.json");
  if (existsSync(done) && readFileSync(done, "utf8") === pinned) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), pinned);
  const { status, stderr, error } = spawnSync("npm", ["install", ...QUIET], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not install what ${manifest} names.\n${stderr ?? error}`);
  writeFileSync(done, pinned);
  return folder;
}

/** The version that is installed, and the file its command runs. */
export function findServer(folder, name) {
  const home = join(folder, "node_modules", name);
  const { version, bin } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return { version, program: join(home, typeof bin === "string" ? bin : Object.values(bin)[0]) };
}
