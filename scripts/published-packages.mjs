// The packages that go to npm: those of packages/ that are not private.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.mjs";

export function publishedPackages() {
  return readdirSync(join(root, "packages"))
    .map((name) => ({
      folder: join("packages", name),
      ...JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")),
    }))
    .filter((manifest) => manifest.private !== true)
    .map(({ name, folder, ...manifest }) => ({ name, folder, manifest }));
}
