// The packages of packages/, and those among them that go to npm.
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
