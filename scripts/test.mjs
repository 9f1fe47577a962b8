// `npm test`: sets everything up, then runs every check and every test, and ends with a line that counts them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { performance } from "node:perf_hooks";
import { packInto } from "./packing.mjs";
import { install, root, run } from "./workspace.mjs";

const BUILD = ["build", "turbo", ["run", "build", "--output-logs=errors-only"]];
/**
 * One after the other, beside the tests: one of them plants files that the others would see. Those that wait for servers come first, while
 * the tests still start.
 */
const CHECKS = [
  ["the official conformance suite", "node", ["conformance/run.mjs"]],
  ["four real servers", "node", ["interop/run.mjs", "--smallest"]],
  ["types", "turbo", ["run", "typecheck", "--only", "--output-logs=errors-only"]],
  ["the layer rule catches a breach", "node", ["scripts/checks/layer-rule.mjs"]],
  ["layers", "depcruise", ["--config", ".dependency-cruiser.cjs", "packages", "apps", "bench"]],
  ["format and lint", "biome", ["ci", "--error-on-warnings", "."]],
  ["nothing unused", "knip", []],
  ["house rules", "node", ["scripts/checks/house-rules.mjs"]],
  ["flows of ARCHITECTURE.md", "node", ["scripts/checks/flows.mjs"]],
  ["docstrings", "node", ["scripts/checks/docstrings.mjs"]],
  ["documentation", "node", ["scripts/checks/documentation.mjs"]],
  ["promises of SECURITY.md", "node", ["scripts/checks/security-promises.mjs"]],
  ["the public face is the accepted one", "node", ["scripts/checks/public-face.mjs"]],
  ["size limits", "node", ["scripts/checks/sizes.mjs"]],
  ["licences of others", "node", ["scripts/checks/licences.mjs"]],
  ["a release with versions of their own", "node", ["scripts/checks/release-plan.mjs"]],
];
/** With the tarballs that all of them share. */
const CHECKS_OF_TARBALLS = [
  ["a newcomer's path from tarballs", "node", ["scripts/checks/newcomer.mjs"]],
  ["the packed tool cache needs no compiler", "node", ["scripts/checks/packed-tool-cache.mjs"]],
];
/** Projects whose tests mostly wait, for processes, sockets and deadlines: more of them than processors run at a time. */
const WAITING_PROJECTS = [
  "jackfield",
  "@jackfield/mcp-transports",
  "@jackfield/agent",
  "@jackfield/bench",
  "@jackfield/examples",
  "@jackfield/mcp-ai-sdk",
  "@jackfield/mcp-tool-cache",
];
const PROCESSORS = Math.max(2, availableParallelism());

/** Hundreds of processes load the same modules: one of them compiles each. */
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");

const counts = { passed: 0, failed: 0 };

console.log("setting up …");
install();
if (!(await runCheck(BUILD))) finish();
await Promise.all([
  runTests("tests that wait", WAITING_PROJECTS, PROCESSORS + 1),
  runTests(
    "tests that compute",
    WAITING_PROJECTS.map((project) => `!${project}`),
    PROCESSORS - 1,
  ),
  runChecks(),
]);
const figures = await run("node", ["scripts/figures.mjs"]);
console.log(figures.output);
finish();

async function runChecks() {
  for (const check of CHECKS) await runCheck(check);
  const folder = mkdtempSync(join(tmpdir(), "jackfield-tarballs-"));
  for (const [title, command, args] of await checksOfTarballs(folder))
    await runCheck([title, command, args], { JACKFIELD_TARBALLS: folder });
  rmSync(folder, { recursive: true, force: true });
}

/** What npm would be given, as other tools see it. */
async function checksOfTarballs(folder) {
  const startedAt = performance.now();
  const packed = await packInto(folder).catch((error) => {
    report("packing", false, startedAt, error.message);
    return [];
  });
  const checksOf = ({ name, tarball }) => [
    [`types of the packed ${name}`, "attw", [tarball, "--profile", "esm-only"]],
    [`publint ${name}`, "publint", ["--strict", tarball]],
  ];
  return packed.length === 0 ? [] : [...CHECKS_OF_TARBALLS, ...packed.flatMap(checksOf)];
}

async function runCheck([title, command, args], env = {}) {
  const startedAt = performance.now();
  const { code, output } = await run(command, args, { env });
  report(title, code === 0, startedAt, output);
  return code === 0;
}

async function runTests(title, projects, workers) {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-test-"));
  const file = join(folder, "results.json");
  const startedAt = performance.now();
  const { code, output } = await run(
    "vitest",
    [
      "run",
      ...projects.map((project) => `--project=${project}`),
      `--maxWorkers=${workers}`,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ],
    {
      env: { NO_COLOR: "1" },
    },
  );
  let failures = [];
  try {
    const results = JSON.parse(readFileSync(file, "utf8"));
    counts.passed += results.numPassedTests;
    counts.failed += results.numFailedTests;
    for (const line of skippedTests(results)) console.log(line);
    failures = failedTests(results);
  } catch (error) {
    console.log(`no test results: ${error.message}`);
  }
  rmSync(folder, { recursive: true, force: true });
  report(title, code === 0, startedAt, [...failures, output].join("\n\n"));
}

/** One line a file: what lacks a service of its own lacks it as a whole. */
function skippedTests(results) {
  return results.testResults.flatMap(({ name, assertionResults }) => {
    const skipped = assertionResults.filter((test) => ["skipped", "pending", "todo"].includes(test.status));
    if (skipped.length === 0) return [];
    return [`skipped: ${skipped.length} of ${assertionResults.length} tests in ${relative(".", name)}`];
  });
}

/** What failed and why, before the log: whoever sees only the first lines of a failed run sees these. */
function failedTests(results) {
  return results.testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    const file = relative(".", name);
    if (failed.length === 0) return status === "failed" ? [`${file}\n${message}`] : [];
    return failed.map((test) => `${file} > ${test.fullName}\n${test.failureMessages.join("\n")}`);
  });
}

function report(title, isGood, startedAt, output) {
  counts[isGood ? "passed" : "failed"] += 1;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${isGood ? "ok    " : "FAILED"} ${title} (${seconds} s)`);
  if (!isGood) console.log(output);
}

function finish() {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.failed === 0 ? 0 : 1);
}
