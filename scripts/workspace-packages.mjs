// The packages of packages/, those among them that go to npm, and what these let in by their "exports".
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

export function workspacePackages() {
  return readdirSync(join(root, "packages")).map((directory) => {
    const folder = join("packages", directory);
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return { name: manifest.name, folder, manifest };
  });
}

export function publishedPackages() {
  return workspacePackages().filter(({ manifest }) => manifest.private !== true);
}

/** Every module that can be imported from a published package, under the name by which it is. */
export function publishedEntries() {
  return publishedPackages().flatMap((owner) =>
    Object.entries(owner.manifest.exports)
      .filter(([, target]) => typeof target === "object")
      .map(([path, { types, default: module }]) => ({
        name: `${owner.name}${path.slice(1)}`,
        owner,
        types: join(owner.folder, types),
        module: join(owner.folder, module),
      })),
  );
}
