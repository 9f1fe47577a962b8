// Documentation that has drifted is a defect: examples compile against the built packages, links lead to files and headings that exist,
// and the table of errors is the table in the code.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { conclude, trackedFiles } from "../tracked-files.mjs";
import { root, run } from "../workspace.mjs";
import { workspacePackages } from "../workspace-packages.mjs";

/** The first line of a block that shows an example. */
const EXAMPLE = /^\/\/ (examples\/\S+)\n/;

const problems = [];
const documents = trackedFiles("*.md").filter(
  (file) => !file.endsWith("CHANGELOG.md") && !file.startsWith(".changeset/"),
);

for (const file of documents) {
  for (const [, target, , anchor] of proseOf(file).matchAll(/\]\(([^)#\s]*)(#([^)\s]+))?[^)]*\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const linked = target === "" ? file : join(dirname(file), target);
    if (!existsSync(join(root, linked))) problems.push(`${file}: the link to ${target} leads nowhere.`);
    else if (anchor !== undefined && linked.endsWith(".md") && !anchorsOf(linked).has(anchor))
      problems.push(`${file}: ${linked} has no heading for #${anchor}.`);
  }
}
problems.push(...(await compileExamples()), ...(await compareErrors()));
for (const file of documents) problems.push(...comparedExamples(file));
conclude(problems);

/** A block that begins with the name of an example shows that file, or a part of it; the tests of the examples run it. */
function comparedExamples(file) {
  const blocks = [...readFileSync(join(root, file), "utf8").matchAll(/```(?:ts|tsx|js)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, block]) => {
    const [, example] = EXAMPLE.exec(block) ?? [];
    if (example === undefined) return [];
    const shown = block.slice(block.indexOf("\n") + 1);
    const isShown =
      existsSync(join(root, example)) && readFileSync(join(root, example), "utf8").includes(shown);
    return isShown ? [] : [`${file}: what it shows of ${example} is not what stands there.`];
  });
}

/** A document without its blocks of code, in which brackets are no links and `#` begins no heading. */
function proseOf(file) {
  return readFileSync(join(root, file), "utf8").replace(/```[\s\S]*?```/g, "");
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file) {
  const anchors = new Set();
  for (const [, heading] of proseOf(file).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let unique = anchor;
    for (let repetition = 1; anchors.has(unique); repetition += 1) unique = `${anchor}-${repetition}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Compiles each TypeScript block as a module of its own, in a folder where every package can be imported. */
async function compileExamples() {
  const folder = join(root, "node_modules", ".cache", "jackfield-examples");
  rmSync(folder, { recursive: true, force: true });
  const scope = join(folder, "node_modules", "@jackfield");
  mkdirSync(scope, { recursive: true });
  for (const { name, folder: source } of workspacePackages())
    symlinkSync(join(root, source), join(folder, "node_modules", name), "dir");
  // The frameworks an example uses are those the sample agent is built with; tests of the other packages bring the rest.
  const borrowed = [
    "apps/agent",
    "packages/mcp-transports",
    "packages/mcp-tool-cache",
    "packages/mcp-langchain",
    "packages/mcp-ai-sdk",
    "packages/jackfield",
  ];
  for (const dependency of [
    "ai",
    "@ai-sdk/openai-compatible",
    "langchain",
    "@langchain/core",
    "@langchain/langgraph",
    "@langchain/openai",
    "@modelcontextprotocol/server",
    "@types/node",
    "@opentelemetry/api",
    "@opentelemetry/context-async-hooks",
    "@opentelemetry/sdk-metrics",
    "@opentelemetry/sdk-trace",
    "keyv",
    "@keyv/redis",
    "@keyv/sqlite",
    "vitest",
  ]) {
    const home = ["", ...borrowed]
      .map((place) => join(root, place, "node_modules", dependency))
      .find(existsSync);
    if (home === undefined) continue;
    mkdirSync(dirname(join(folder, "node_modules", dependency)), { recursive: true });
    symlinkSync(home, join(folder, "node_modules", dependency), "dir");
  }
  const origins = new Map();
  for (const file of documents) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [index, match] of [...text.matchAll(/```(?:ts|typescript)\n([\s\S]*?)```/g)].entries()) {
      if (EXAMPLE.test(match[1])) continue;
      const name = `${file.replace(/[^A-Za-z0-9]+/g, "-")}-${index}.ts`;
      origins.set(name, `${file}:${text.slice(0, match.index).split("\n").length + 1}`);
      writeFileSync(join(folder, name), `${match[1]}\nexport {};\n`);
    }
  }
  const compilerOptions = { noEmit: true, types: ["node"], noUnusedLocals: false, noUnusedParameters: false };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.base.json", compilerOptions, include: ["*.ts"] }),
  );
  const problems = [];
  // Most programs do without the option, and without it an example can fail that compiles with it.
  for (const isExact of ["true", "false"]) {
    const settings = ["--pretty", "false", "--exactOptionalPropertyTypes", isExact];
    const { code, output } = await run("tsc", ["-p", join(folder, "tsconfig.json"), ...settings], {
      cwd: folder,
    });
    if (code === 0) continue;
    problems.push(
      output.replace(
        /^([\w-]+\.ts)\((\d+),/gm,
        (_, name, line) => `${origins.get(name) ?? name} (line ${line} of the example,`,
      ),
    );
  }
  return problems;
}

async function compareErrors() {
  const { ERROR_CODES } = await import(pathToFileURL(join(root, "packages/mcp-core/dist/index.js")).href);
  const text = readFileSync(join(root, "docs/errors.md"), "utf8");
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { means, retryable }]) => `| \`${code}\` | ${means} | ${retryable ? "yes" : "no"} |`,
  );
  const documented = text.split("\n").filter((line) => line.startsWith("| `MCP_"));
  const wrong = documented.filter((line) => !rows.some((row) => line.startsWith(row)));
  const missing = rows.filter((row) => !documented.some((line) => line.startsWith(row)));
  return [
    ...wrong.map((line) => `docs/errors.md: not in the code: ${line}`),
    ...missing.map((row) => `docs/errors.md: missing: ${row}`),
  ];
}
