// `npm test`: sets everything up, then runs every check and every test, and ends with a line that counts them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { performance } from "node:perf_hooks";
import { packInto } from "./packing.mjs";
import { install, run } from "./workspace.mjs";

/** One after the other: they are measured by deadlines, or change what others look at. */
const ALONE = [
  ["build", "turbo", ["run", "build", "--output-logs=errors-only"]],
  ["four real servers", "node", ["interop/run.mjs", "--smallest"]],
  ["the official conformance suite", "node", ["conformance/run.mjs"]],
  ["the layer rule catches a breach", "node", ["scripts/checks/layer-rule.mjs"]],
];
/** Side by side: each only looks at the workspace, or works in a folder of its own. The longest stands first. */
const SIDE_BY_SIDE = [
  ["a newcomer's path from tarballs", "node", ["scripts/checks/newcomer.mjs"]],
  ["types", "turbo", ["run", "typecheck", "--output-logs=errors-only"]],
  ["a release with versions of their own", "node", ["scripts/checks/release-plan.mjs"]],
  ["the public face is the accepted one", "node", ["scripts/checks/public-face.mjs"]],
  ["size limits", "node", ["scripts/checks/sizes.mjs"]],
  ["licences of others", "node", ["scripts/checks/licences.mjs"]],
  ["format and lint", "biome", ["ci", "--error-on-warnings", "."]],
  ["layers", "depcruise", ["--config", ".dependency-cruiser.cjs", "packages", "apps", "bench"]],
  ["nothing unused", "knip", []],
  ["house rules", "node", ["scripts/checks/house-rules.mjs"]],
  ["docstrings", "node", ["scripts/checks/docstrings.mjs"]],
  ["documentation", "node", ["scripts/checks/documentation.mjs"]],
  ["promises of SECURITY.md", "node", ["scripts/checks/security-promises.mjs"]],
  ["the packed tool cache needs no compiler", "node", ["scripts/checks/packed-tool-cache.mjs"]],
];
const LANES = 2;
/** Tests mostly wait, for processes and sockets: with one worker a machine with two processors would be idle half of the time. */
const WORKERS = Math.max(2, availableParallelism());

const counts = { passed: 0, failed: 0 };

console.log("setting up …");
install();
for (const check of ALONE) {
  const isGood = await runCheck(check);
  if (!isGood && check === ALONE[0]) finish();
}
const tarballs = mkdtempSync(join(tmpdir(), "jackfield-tarballs-"));
const waiting = [...SIDE_BY_SIDE, ...(await checksOfPacked(tarballs))];
await Promise.all(Array.from({ length: LANES }, runWaiting));
rmSync(tarballs, { recursive: true, force: true });
await runTests();
finish();

/** What npm would be given, as other tools see it. */
async function checksOfPacked(folder) {
  const startedAt = performance.now();
  const packed = await packInto(folder).catch((error) => {
    report("packing", false, startedAt, error.message);
    return [];
  });
  return packed.flatMap(({ name, tarball }) => [
    [`types of the packed ${name}`, "attw", [tarball, "--profile", "esm-only"]],
    [`publint ${name}`, "publint", ["--strict", tarball]],
  ]);
}

async function runWaiting() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await runCheck(check);
}

async function runCheck([title, command, args]) {
  const startedAt = performance.now();
  const { code, output } = await run(command, args);
  report(title, code === 0, startedAt, output);
  return code === 0;
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-test-"));
  const file = join(folder, "results.json");
  const startedAt = performance.now();
  const { code, output } = await run(
    "vitest",
    ["run", `--maxWorkers=${WORKERS}`, "--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
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
  report("tests", code === 0, startedAt, [...failures, output].join("\n\n"));
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
