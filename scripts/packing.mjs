// The published packages as they would go to npm: one tarball each.
import { join } from "node:path";
import { root, run } from "./workspace.mjs";
import { publishedPackages } from "./workspace-packages.mjs";

/**
 * Packs the packages of that name, or all, into a folder; gives them with the `tarball` of each. Where JACKFIELD_TARBALLS names a folder
 * with the tarballs of this build, those are given instead.
 */
export async function packInto(folder, names) {
  const packages = publishedPackages().filter(({ name }) => names === undefined || names.includes(name));
  const { JACKFIELD_TARBALLS: packed } = process.env;
  return Promise.all(
    packages.map(async (owner) => {
      const file = `${owner.name.replace("@", "").replace("/", "-")}-${owner.manifest.version}.tgz`;
      if (packed !== undefined) return { ...owner, tarball: join(packed, file) };
      const { code, output } = await run("pnpm", ["pack", "--pack-destination", folder], {
        cwd: join(root, owner.folder),
      });
      if (code !== 0) throw new Error(`${owner.name} could not be packed:\n${output}`);
      return { ...owner, tarball: join(folder, file) };
    }),
  );
}

/** A package and those of ours that it depends on: what must be at hand to install it while nothing is published. */
export function withSiblings(packages, name, found = new Set()) {
  const owner = packages.find((candidate) => candidate.name === name);
  if (owner === undefined || found.has(owner)) return found;
  found.add(owner);
  for (const dependency of Object.keys(owner.manifest.dependencies ?? {}))
    withSiblings(packages, dependency, found);
  return found;
}
