// What npm installed: nothing that runs on installation, nothing native, nothing that is linked to from elsewhere.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is wrong with the `node_modules` of a folder. */
export function installedProblems(folder) {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages);
  return [
    ...packages
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => `${path} runs a script.`),
    ...packages.filter(([, { link }]) => link).map(([path]) => `${path} is a link.`),
    ...globSync("node_modules/**/{*.node,binding.gyp}", { cwd: folder }).map((file) => `${file} is native.`),
  ];
}
