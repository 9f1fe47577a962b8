import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type InstallationRecord, installedModules, pinnedManifest, recordFile } from "./competitors.ts";

/** An installation that takes longer than this hangs. */
const LONGEST_INSTALLATION_MS = 600_000;

/**
 * Options that keep npm from running what it installs, from writing down where it comes from, and from searching for peers: those
 * are pinned too.
 */
const OPTIONS = [
  "--ignore-scripts",
  "--no-package-lock",
  "--legacy-peer-deps",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

/** Imports each of its arguments, and prints where it is as the last line. */
const PROBE = `const places = {};
for (const specifier of process.argv.slice(1)) {
  await import(specifier);
  places[specifier] = import.meta.resolve(specifier);
}
process.stdout.write("\\n" + JSON.stringify(places), () => process.exit());`;

/**
 * Installs what the `package.json` of a folder pins, unless it is there, and makes sure that the modules can be imported. Throws
 * with npm's own words, or Node's, if that fails.
 */
export function installCompetitor(folder: string, modules: readonly string[]): "installed" | "there already" {
  if (installedModules(folder) !== undefined) return "there already";
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  runIn(folder, "npm", ["install", ...OPTIONS], process.platform === "win32");
  const output = runIn(folder, process.execPath, ["--input-type=module", "--eval", PROBE, "--", ...modules]);
  const places = Object.entries(JSON.parse(output.split("\n").at(-1) ?? "") as Record<string, string>);
  const record: InstallationRecord = {
    pinned: pinnedManifest(folder),
    modules: Object.fromEntries(
      places.map(([specifier, url]) => [specifier, relative(folder, fileURLToPath(url))]),
    ),
  };
  writeFileSync(recordFile(folder), JSON.stringify(record));
  return "installed";
}

function runIn(folder: string, command: string, args: readonly string[], shell = false): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: folder,
    shell,
    encoding: "utf8",
    timeout: LONGEST_INSTALLATION_MS,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ended with ${status ?? error?.message}:\n${(stderr || stdout || "").trim()}`);
}
