// One package alone: its tarball, those of ours that it depends on, and its peers. Every entry can be imported, and one that cannot says which
// optional peer it is for.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { withSiblings } from "../packing.mjs";
import { installedProblems } from "./installation.mjs";

/** Installs one in a folder of its own and imports what it exports; gives what went wrong. */
export async function tryAlone(place, packages, owner) {
  const cwd = join(place.folder, `alone-${basename(owner.folder)}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), '{ "private": true }\n');
  const optional = Object.keys(owner.manifest.peerDependenciesMeta ?? {});
  const required = Object.keys(owner.manifest.peerDependencies ?? {}).filter(
    (name) => !optional.includes(name),
  );
  const tarballs = [...withSiblings(packages, owner.name)].map(({ tarball }) => tarball);
  const install = async (what) => {
    const { code, stderr } = await place.run("npm", ["install", "--engine-strict", ...what], { cwd });
    return code === 0 && stderr === "" ? [] : [`npm install ${what.join(" ")}: exit code ${code}\n${stderr}`];
  };
  const problems = await install([...tarballs, ...tested(owner, required)]);
  if (problems.length > 0) return problems;
  const first = await importEntries(place, cwd, owner);
  const forPeers = first.filter(({ missing }) => optional.includes(missing));
  if (forPeers.length === 0) return [...installedProblems(cwd), ...told(first)];
  problems.push(...installedProblems(cwd), ...told(first.filter((failure) => !forPeers.includes(failure))));
  problems.push(...(await install(tested(owner, optional))));
  return [...problems, ...told(await importEntries(place, cwd, owner))];
}

/** The entries that could not be imported, each with the error and the package that it misses, if that is why. */
export async function importEntries(place, cwd, owner) {
  const entries = Object.entries(owner.manifest.exports)
    .filter(([, target]) => typeof target === "object")
    .map(([path]) => `${owner.name}${path.slice(1)}`);
  copyFileSync(new URL("import-entries.mjs", import.meta.url), join(cwd, "import-entries.mjs"));
  const { code, stdout, stderr } = await place.run("node", ["import-entries.mjs", ...entries], { cwd });
  if (code !== 0 || stderr !== "") return [{ entry: owner.name, error: stderr }];
  return JSON.parse(stdout);
}

/** Failures in words. */
export function told(failures) {
  return failures.map(({ entry, error }) => `${entry} cannot be imported: ${error}`);
}

/** Peers at the versions that the package is tested with. */
function tested({ manifest }, names) {
  return names.map((name) => `${name}@${manifest.devDependencies[name]}`);
}
