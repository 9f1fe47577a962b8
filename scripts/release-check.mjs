// `pnpm release:check`: what a release must stand, and takes some minutes. Every package from its tarball, alone and all together, on each
// line of Node that is promised; a newcomer's whole path on each, which `npm test` walks on one; and all declarations under several compilers.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importEntries, told, tryAlone } from "./newcomer/alone.mjs";
import { tryBundlers } from "./newcomer/bundlers.mjs";
import { tryDeclarations } from "./newcomer/declarations.mjs";
import { makeEmptyPlace } from "./newcomer/empty-place.mjs";
import { walkNewcomersPath } from "./newcomer/path.mjs";
import { packInto } from "./packing.mjs";
import { run } from "./workspace.mjs";

/** The oldest that is promised, the one that is developed on, and the newest. They come from npm, as the package `node`. */
const NODES = ["22.19.0", "24.21.0", "26.10.0"];

const folder = mkdtempSync(join(tmpdir(), "jackfield-release-check-"));
const counts = { passed: 0, failed: 0 };
try {
  const packages = await packInto(folder);
  for (const version of NODES) await checkOn(version, packages);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed === 0 ? 0 : 1);

async function checkOn(version, packages) {
  const place = makeEmptyPlace({ node: await installNode(version), npmCache: join(folder, "npm-cache") });
  const note = (title, found) => {
    console.log(`${found.length === 0 ? "ok    " : "FAILED"} Node ${version}: ${title}`);
    for (const problem of found) console.log(problem);
    counts[found.length === 0 ? "passed" : "failed"] += 1;
  };
  try {
    note("a newcomer's path", await walkNewcomersPath(place, packages));
    const failures = [];
    for (const owner of packages) failures.push(...(await importEntries(place, place.project, owner)));
    note("all packages together", told(failures));
    // They do not depend on the Node.
    if (version === NODES[0]) note("declarations of all packages", await tryDeclarations(place));
    if (version === NODES[1])
      for (const [title, found] of Object.entries(await tryBundlers(place, packages))) note(title, found);
    for (const owner of packages) note(`${owner.name} alone`, await tryAlone(place, packages, owner));
  } finally {
    place.close();
  }
}

async function installNode(version) {
  const cwd = join(folder, `node-${version}`);
  mkdirSync(cwd);
  const { code, output } = await run("npm", ["install", "--no-save", "--prefix", cwd, `node@${version}`], {
    cwd,
  });
  if (code !== 0) throw new Error(`node@${version} could not be installed:\n${output}`);
  return join(cwd, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
}
