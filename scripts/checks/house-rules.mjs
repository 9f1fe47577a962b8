// Rules of the house that no linter knows: file names, file lengths, package manifests, and what no file may name.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { conclude, trackedFiles } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";
import { publishedPackages } from "../workspace-packages.mjs";

const MAX_LINES = 400;
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|misc|shared|types)\.(ts|mjs|js)$/;
/** Written in parts, so that this file does not name what it forbids. */
const REGISTRY_HOSTS = ["registry.npm" + "js.org", "registry.yarn" + "pkg.com", "npm" + "mirror.com"];

/** What `mcp-core` has for everybody, as it would be written a second time. */
const GROUND = [
  [
    /\bis(?:Record|PlainObject)\b *(?:\(value: unknown|= \()|typeof ([\w.]+) [!=]== "object" (?:&&|\|\|) \1 [!=]== null (?:&&|\|\|) !?Array\.isArray\(\1\)/,
    '"isRecord" of mcp-core says whether a value is a record',
  ],
  [/\bisDeepStrictEqual\b/, '"isSameJson" of mcp-core compares values'],
  [/_MS = 2 \*\* 31/, '"MAX_TIMER_MS" and "startTimer" of mcp-core know the longest timer'],
  [/\b0o(?:[67]00|0[27][27])n?\b|\bgetuid\b/, '"PrivateFolder" of mcp-core/node keeps private files'],
  [/BEGIN EXCLUSIVE|\bO_EXCL\b/, '"withFileLock" of mcp-core/node is the lock between processes'],
  [
    /getBuiltinModule\("node:(?:fs|sqlite)"\)/,
    '"fileSystem" and "loadSqlite" of mcp-core/node load modules of Node.js',
  ],
];

const problems = [];
for (const file of trackedFiles()) {
  const isCode = /\.(ts|mjs|js|cjs)$/.test(file);
  if (isCode && FORBIDDEN_NAMES.test(basename(file)))
    problems.push(`${file}: name the file after the concept that it holds.`);
  if (/\.(png|svg|gif|ico)$/.test(file)) continue;
  const text = readFileSync(join(root, file), "utf8");
  const lines = text.split("\n").length - 1;
  if (isCode && file.includes("/src/") && lines > MAX_LINES) {
    problems.push(
      `${file}: ${lines} lines; up to ${MAX_LINES} are fine. Give the second concept that it holds a module of its own.`,
    );
  }
  if (/^packages\/.*\/src\//.test(file) && text.includes("DESIGN"))
    problems.push(`${file}: names a document that no reader has; say the reason.`);
  if (/^packages\/(?!mcp-core\/|test-kit\/).*\/src\//.test(file)) {
    for (const [pattern, instead] of GROUND)
      if (pattern.test(text))
        problems.push(`${file}: "${pattern.exec(text)?.[0]}" is written again; ${instead}.`);
  }
  for (const host of REGISTRY_HOSTS)
    if (text.includes(host)) problems.push(`${file}: names the registry host ${host}.`);
  if (basename(file) === "pnpm-lock.yaml" && /https?:\/\/|tarball:/.test(text))
    problems.push(`${file}: names an address.`);
}
const decisions = trackedFiles().filter((file) => file.startsWith("docs/decisions/"));
for (const [number, [first, ...others]] of Map.groupBy(decisions, (file) => basename(file).slice(0, 4)))
  for (const other of others) problems.push(`${other}: ${first} is decision ${number} as well.`);
for (const { name, folder, manifest } of publishedPackages()) {
  const wants = (isMet, what) => isMet || problems.push(`${folder}: ${what}.`);
  wants(manifest.license === "MIT", 'the licence is "MIT"');
  wants(manifest.type === "module", "packages are ES modules");
  wants(manifest.sideEffects === false, '"sideEffects" is false');
  wants(manifest.engines?.node === ">=22.19", 'the engines are Node ">=22.19"');
  wants(manifest.exports?.["."]?.types !== undefined, 'the "exports" map has "." with "types"');
  wants(typeof manifest.description === "string", "the package is described");
  for (const file of ["README.md", "LICENSE"])
    wants(existsSync(join(root, folder, file)), `${file} is missing`);
  const isTold = trackedFiles(".changeset/*.md").some((file) =>
    readFileSync(join(root, file), "utf8").includes(`"${name}":`),
  );
  wants(
    isTold || existsSync(join(root, folder, "CHANGELOG.md")),
    "neither a changeset nor a changelog names it",
  );
}
const known = new Set(publishedPackages().map(({ name }) => name));
for (const file of trackedFiles(".changeset/*.md")) {
  const [, frontMatter] = readFileSync(join(root, file), "utf8").split(/^---$/m);
  for (const line of (frontMatter ?? "").trim().split("\n").filter(Boolean)) {
    const [, name] = /^"([^"]+)": (?:patch|minor|major)$/.exec(line) ?? [];
    if (!known.has(name)) problems.push(`${file}: "${line}" names no published package and kind of change.`);
  }
}
conclude(problems);
