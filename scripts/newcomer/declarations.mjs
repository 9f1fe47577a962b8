// The declarations of all packages, as they are installed beside one another, compile with an older TypeScript and with this workspace's,
// with their own checked too (`skipLibCheck: false`), under both ways in which imports are resolved today.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspace.mjs";
import { publishedEntries } from "../workspace-packages.mjs";

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const COMPILERS = ["5.9.3", devDependencies.typescript];
const MODULES = [
  ["--module", "nodenext"],
  ["--module", "esnext", "--moduleResolution", "bundler"],
];
const STRICT = ["--noEmit", "--strict", "--target", "es2022", "--skipLibCheck", "false", "--types", "node"];

/** Compiles a program that imports every entry, in a project where all packages are installed; gives what went wrong. */
export async function tryDeclarations(place) {
  const imports = publishedEntries().map(({ name }, index) => `import * as entry${index} from "${name}";`);
  const names = imports.map((_, index) => `entry${index}`);
  writeFileSync(
    join(place.project, "entries.mts"),
    `${imports.join("\n")}\nexport const entries = [${names.join(", ")}];\n`,
  );
  const problems = [];
  const step = async (title, command, args) => {
    const { code, stdout, stderr } = await place.run(command, args);
    if (code !== 0) problems.push(`${title}: exit code ${code}\n${stdout}${stderr}`);
  };
  const types = `@types/node@${devDependencies["@types/node"]}`;
  for (const version of COMPILERS) {
    await step(`TypeScript ${version}`, "npm", ["install", types, `typescript@${version}`]);
    for (const module of MODULES)
      await step(`TypeScript ${version} ${module.join(" ")}`, "npx", [
        "tsc",
        ...STRICT,
        ...module,
        "entries.mts",
      ]);
  }
  return problems;
}
