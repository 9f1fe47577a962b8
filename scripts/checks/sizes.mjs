// What each entry costs whoever imports it, minified and compressed, with everything it depends on but its peers: what is loaded at
// once, and all there is to load. Prints a table. size-limits.json limits what a user feels, the whole runtime and what its start loads, with
// a quarter of head room: it shows a dependency that was added or a late import that became an early one, and forces nobody to cut.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { conclude } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";
import { publishedEntries } from "../workspace-packages.mjs";

const LIMITS_FILE = "scripts/checks/size-limits.json";
/** CommonJS packages in an ES module ask for `require`; every bundle of a Node program begins with it. */
const BANNER = {
  js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
};

const limits = JSON.parse(readFileSync(join(root, LIMITS_FILE), "utf8"));
const sizes = await Promise.all(publishedEntries().map(measure));
const problems = Object.keys(limits)
  .filter((limited) => !sizes.some(({ name }) => name === limited))
  .map((limited) => `${LIMITS_FILE}: "${limited}" is no entry of a published package.`);

console.log(row("kB, minified and compressed", "at once", "limit", "in all", "limit"));
for (const { name, ...size } of sizes) {
  const pairs = Object.entries(size).map(([which, measured]) => [which, measured, limits[name]?.[which]]);
  console.log(row(name, ...pairs.flatMap(([, measured, most = ""]) => [measured.toFixed(1), most])));
  for (const [which, measured, most] of pairs)
    if (measured > most)
      problems.push(`${name}: ${measured.toFixed(1)} kB are more than its "${which}" in ${LIMITS_FILE}.`);
}
conclude(problems);

/** Bundles one entry. What is imported by `import()` becomes a file of its own, as it is when a program runs. */
async function measure({ name, owner, module }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [module],
    outdir: "sizes",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minify: true,
    write: false,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
    banner: BANNER,
    external: Object.keys(owner.manifest.peerDependencies ?? {}),
  });
  const bytes = new Map(outputFiles.map(({ path, contents }) => [path, gzipSync(contents).length]));
  const bytesOf = (output) => bytes.get([...bytes.keys()].find((path) => path.endsWith(output)));
  const outputs = Object.keys(metafile.outputs);
  const entry = outputs.find((output) => metafile.outputs[output].entryPoint === module);
  return {
    name,
    atOnceKilobytes: sum([...loadedAtOnce(metafile.outputs, entry)].map(bytesOf)) / 1000,
    inAllKilobytes: sum(outputs.map(bytesOf)) / 1000,
  };
}

/** The outputs that an output imports before it runs, and those that they import. */
function loadedAtOnce(outputs, output, found = new Set()) {
  if (found.has(output)) return found;
  found.add(output);
  for (const { path, kind, external } of outputs[output].imports)
    if (kind === "import-statement" && external !== true) loadedAtOnce(outputs, path, found);
  return found;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function row(name, ...columns) {
  return [name.padEnd(36), ...columns.map((text) => String(text).padStart(8))].join(" ");
}
