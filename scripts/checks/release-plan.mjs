// A release as it will be, in a copy: changesets gives each package its own next version, moves no other but dependants whose range was
// left, and what is packed then asks for the versions that were just made.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { conclude, trackedFiles } from "../tracked-files.mjs";
import { root, run } from "../workspace.mjs";
import { publishedPackages } from "../workspace-packages.mjs";

const RAISES = {
  patch: ([major, minor, patch]) => [major, minor, patch + 1],
  minor: ([major, minor]) => [major, minor + 1, 0],
  major: ([major]) => [major + 1, 0, 0],
};
const STRENGTHS = Object.keys(RAISES);

const packages = publishedPackages();
const problems = [];
const copy = mkdtempSync(join(tmpdir(), "jackfield-release-"));
try {
  await makeCopy();
  await release("the changes that are pending", pendingChanges());
  await releasePlanted("a patch moves only what changed", { "@jackfield/mcp-tools": "patch" });
  await releasePlanted("packages move by steps of their own", {
    "@jackfield/mcp-langchain": "minor",
    "@jackfield/mcp-guard": "patch",
  });
  await releasePlanted("what leaves its range moves dependants", { "@jackfield/mcp-tools": "minor" });
  await comparePacked("@jackfield/mcp-manager");
} finally {
  rmSync(copy, { recursive: true, force: true });
}
conclude(problems);

/** Everything git knows or would take, committed, with the tools of this workspace. */
async function makeCopy() {
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "dir");
  await succeed("git", ["init", "--quiet", "--initial-branch=main"]);
  await commit();
}

/** What the changesets ask for, by package: the strongest of what each says. */
function pendingChanges() {
  const changes = {};
  for (const file of trackedFiles(".changeset/*.md")) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, name, strength] of text.matchAll(/^"([^"]+)": (patch|minor|major)$/gm))
      if (STRENGTHS.indexOf(strength) > STRENGTHS.indexOf(changes[name])) changes[name] = strength;
  }
  return changes;
}

async function releasePlanted(title, changes) {
  const lines = Object.entries(changes).map(([name, strength]) => `"${name}": ${strength}`);
  writeFileSync(
    join(copy, ".changeset", "planted.md"),
    ["---", ...lines, "---", "", "A change.", ""].join("\n"),
  );
  await release(title, changes);
}

async function release(title, changes) {
  const before = versions();
  await succeed("changeset", ["version"]);
  const after = versions();
  for (const [name, expected] of Object.entries(expectedVersions(before, changes)))
    if (after[name] !== expected)
      problems.push(`${title}: ${name} went from ${before[name]} to ${after[name]}, not to ${expected}.`);
  await commit();
}

function expectedVersions(before, changes) {
  const changed = Object.entries(changes).map(([name, strength]) => [name, raised(before[name], strength)]);
  const after = { ...before, ...Object.fromEntries(changed) };
  for (const { name, manifest } of packages) {
    const isBehind = Object.keys(manifest.dependencies ?? {}).some((dependency) =>
      leavesRange(before[dependency], after[dependency]),
    );
    if (isBehind && !(name in changes)) after[name] = raised(before[name], "patch");
  }
  return after;
}

function raised(version, strength) {
  return RAISES[strength](version.split(".").map(Number)).join(".");
}

/** Whether `^before` does not admit what came after: the leftmost part that is not 0 is another. */
function leavesRange(before, after) {
  if (before === after) return false;
  const [old, young] = [before, after].map((version) => version.split(".").map(Number));
  const leftmost = old.findIndex((part) => part !== 0);
  return old.slice(0, leftmost + 1 || old.length).some((part, index) => part !== young[index]);
}

function versions() {
  return Object.fromEntries(packages.map(({ name, folder }) => [name, copiedManifest(folder).version]));
}

function copiedManifest(folder) {
  return JSON.parse(readFileSync(join(copy, folder, "package.json"), "utf8"));
}

/** Packs one in the copy: its ranges are those of the versions there. */
async function comparePacked(name) {
  const { folder, manifest } = packages.find((owner) => owner.name === name);
  const siblings = Object.keys(manifest.dependencies).filter((dependency) => dependency in versions());
  for (const sibling of siblings) {
    const link = join(copy, folder, "node_modules", sibling);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(copy, packages.find((owner) => owner.name === sibling).folder), link, "dir");
  }
  await succeed("pnpm", ["pack", "--out", "packed.tgz"], join(copy, folder));
  const text = await succeed("tar", ["-xOf", "packed.tgz", "package/package.json"], join(copy, folder));
  for (const sibling of siblings) {
    const expected = `^${versions()[sibling]}`;
    const packed = JSON.parse(text).dependencies[sibling];
    if (packed !== expected)
      problems.push(`${name}, packed, asks for ${sibling} ${packed} instead of ${expected}.`);
  }
}

async function commit() {
  await succeed("git", ["add", "--all"]);
  const author = ["-c", "user.name=A release", "-c", "user.email=release@localhost"];
  await succeed("git", [...author, "commit", "--quiet", "--no-verify", "--message=A release"]);
}

async function succeed(command, args, cwd = copy) {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")}: exit code ${code}\n${output}`);
  return output;
}
