// The licences of everything that whoever installs Jackfield gets with it, or finds inside its builds, are among those listed here, and
// THIRD_PARTY_LICENSES.md names them all; `pnpm accept:licences` writes it anew.
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { conclude } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";
import { publishedPackages } from "../workspace-packages.mjs";

const FILE = "THIRD_PARTY_LICENSES.md";
/** They ask for their text to be kept, and for nothing else of the programs that use them. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
]);

const problems = [];
/** What is installed or bundled, by name and version: its licence, and which of our packages bring it. */
const found = new Map();
for (const { name, folder } of publishedPackages()) {
  collect(realpathSync(join(root, folder)), name, new Set());
  for (const bundled of bundledIn(folder)) {
    note(bundled, `${name} (inside its build)`);
    if (!isLicenceKept(bundled, folder))
      problems.push(
        `${folder}: the licence of ${manifestOf(bundled).name}, which is inside the build, is not.`,
      );
  }
}
for (const [what, { licence }] of found)
  if (!ALLOWED.has(licence)) problems.push(`${what}: its licence, ${licence}, is not one that is allowed.`);

const text = `${document()}\n`;
if (process.argv.includes("--accept")) writeFileSync(join(root, FILE), text);
else if (!existsSync(join(root, FILE)) || readFileSync(join(root, FILE), "utf8") !== text)
  problems.push(`${FILE} is not what is installed. "pnpm accept:licences" writes it anew:\n${text}`);
conclude(problems);

/** Walks over what a package depends on, as it is installed. Our own packages are walked through, and are not third parties. */
function collect(folder, owner, seen) {
  if (seen.has(folder)) return;
  seen.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const home = installed(name, folder);
    if (home === undefined) {
      if (!(name in optionalDependencies))
        problems.push(`${name}, which ${folder} depends on, is not installed.`);
      continue;
    }
    if (!home.startsWith(join(root, "packages"))) note(home, owner);
    collect(home, owner, seen);
  }
}

function note(folder, owner) {
  const { name, version, license } = manifestOf(folder);
  const what = `${name}@${version}`;
  const entry = found.get(what) ?? { name, version, licence: license ?? "none is named", owners: new Set() };
  entry.owners.add(owner);
  found.set(what, entry);
}

/** Where a package's dependency is, as Node would find it. */
function installed(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
  }
  return undefined;
}

/** The folders of packages that became part of a build: its source maps name their files. */
function bundledIn(folder) {
  const homes = new Set();
  for (const map of globSync("dist/**/*.js.map", { cwd: join(root, folder) })) {
    const file = join(root, folder, map);
    for (const source of JSON.parse(readFileSync(file, "utf8")).sources) {
      const [home] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(join(dirname(file), source)) ?? [];
      if (home !== undefined) homes.add(realpathSync(home));
    }
  }
  return homes;
}

function isLicenceKept(bundled, folder) {
  const original = readFileSync(join(bundled, "LICENSE"), "utf8");
  const kept = globSync("dist/licenses/*", { cwd: join(root, folder) });
  return kept.some((file) => readFileSync(join(root, folder, file), "utf8") === original);
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function document() {
  const entries = [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = entries.map(
    ([, { name, version, licence, owners }]) =>
      `| ${name} | ${version} | ${licence} | ${[...owners].sort().join(", ")} |`,
  );
  return [
    "# Licences of others",
    "",
    "What is installed with the published packages, or is inside their builds, and under which licence. Peers are not listed: whoever installs",
    "them chooses them. Written by `pnpm accept:licences`; a check compares it with what is installed.",
    "",
    "| package | version | licence | comes with |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}
