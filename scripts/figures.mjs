// `pnpm figures`: what a reader of the packages has to hold. Counts for each package its source files and lines, its concepts (interfaces,
// type aliases and classes at the top level of a file) and what its door exports; then lists the modules that may belong into the only one
// that imports them. It judges nothing: `npm test` prints it beside the checks, so that a change shows what it adds.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { trackedFiles } from "./tracked-files.mjs";
import { root } from "./workspace.mjs";
import { workspacePackages } from "./workspace-packages.mjs";

const SMALL_LINES = 60;

const figures = workspacePackages().map(({ folder, manifest }) => ({
  isPublished: manifest.private !== true,
  ...figuresOf(join(folder, "src")),
  name: folder.replace("packages/", ""),
}));
const published = figures.filter(({ isPublished }) => isPublished);
const sum = (field) => published.reduce((total, row) => total + row[field], 0);
const total = {
  name: "all that are published",
  files: sum("files"),
  lines: sum("lines"),
  concepts: sum("concepts"),
  exports: sum("exports"),
  longest: Math.max(...published.map(({ longest }) => longest)),
  small: published.flatMap(({ small }) => small),
};
print("", "files", "lines", "concepts", "exports", "longest", "small");
for (const { name, files, lines, concepts, exports, longest, small } of [...figures, total])
  print(name, files, lines, concepts, exports, longest, small.length);
console.log(`\nsmall: modules of fewer than ${SMALL_LINES} lines that one other module imports`);
for (const { name, small } of figures) if (small.length > 0) console.log(`${name}: ${small.join(", ")}`);

function figuresOf(source) {
  const files = trackedFiles(`${source}/**/*.ts`, `${source}/*.ts`).filter((file) => !file.endsWith(".d.ts"));
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const linesOf = (file) => texts.get(file).split("\n").length - 1;
  const importers = new Map(files.map((file) => [file, new Set()]));
  for (const [file, text] of texts)
    for (const [, target] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g))
      importers.get(join(dirname(file), target))?.add(file);
  return {
    files: files.length,
    lines: files.reduce((lines, file) => lines + linesOf(file), 0),
    concepts: [...texts.values()].reduce((concepts, text) => concepts + conceptsIn(text), 0),
    exports: exportsOf(join(source, "index.ts")),
    longest: Math.max(...files.map(linesOf)),
    // A host is a module of its own, however short.
    small: files
      .filter((file) => importers.get(file).size === 1 && linesOf(file) < SMALL_LINES)
      .filter((file) => !file.includes("/hosts/"))
      .map((file) => relative(source, file)),
  };
}

function conceptsIn(text) {
  return [...text.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|type) [A-Za-z_$]/gm)]
    .length;
}

function exportsOf(door) {
  if (!existsSync(join(root, door))) return 0;
  const text = readFileSync(join(root, door), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(/[A-Za-z_$][\w$]*(?=\s*[,}])/g)].length;
}

function print(name, ...columns) {
  console.log([name.padEnd(24), ...columns.map((text) => String(text).padStart(9))].join(""));
}
