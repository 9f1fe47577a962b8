// `npm test`: sets everything up, then runs every check and every test, and ends with a line that counts them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { install, run } from "./workspace.mjs";
import { publishedPackages } from "./workspace-packages.mjs";

const CHECKS = [
  ["build", "turbo", ["run", "build", "--output-logs=errors-only"]],
  ["four real servers", "node", ["interop/run.mjs", "--smallest"]],
  ["the official conformance suite", "node", ["conformance/run.mjs", "--scored"]],
  ["types", "turbo", ["run", "typecheck", "--output-logs=errors-only"]],
  ["format and lint", "biome", ["ci", "--error-on-warnings", "."]],
  ["layers", "depcruise", ["--config", ".dependency-cruiser.cjs", "packages", "apps", "bench"]],
  ["the layer rule catches a breach", "node", ["scripts/checks/layer-rule.mjs"]],
  ["nothing unused", "knip", []],
  ["house rules", "node", ["scripts/checks/house-rules.mjs"]],
  ["docstrings", "node", ["scripts/checks/docstrings.mjs"]],
  ["documentation", "node", ["scripts/checks/documentation.mjs"]],
  ["promises of SECURITY.md", "node", ["scripts/checks/security-promises.mjs"]],
  ["the packed tool cache needs no compiler", "node", ["scripts/checks/packed-tool-cache.mjs"]],
  ...publishedPackages().flatMap(({ name, folder }) => [
    [`publint ${name}`, "publint", ["--strict", folder]],
    [`types of the packed ${name}`, "attw", ["--pack", folder, "--profile", "esm-only"]],
  ]),
];

const counts = { passed: 0, failed: 0 };

console.log("setting up …");
install();
for (const [title, command, args] of CHECKS) {
  const startedAt = performance.now();
  const { code, output } = await run(command, args);
  report(title, code === 0, startedAt, output);
  if (code !== 0 && title === "build") finish();
}
await runTests();
finish();

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-test-"));
  const file = join(folder, "results.json");
  const startedAt = performance.now();
  const { code, output } = await run(
    "vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
    {
      env: { NO_COLOR: "1" },
    },
  );
  try {
    const results = JSON.parse(readFileSync(file, "utf8"));
    counts.passed += results.numPassedTests;
    counts.failed += results.numFailedTests;
    for (const title of skippedTitles(results)) console.log(`skipped: ${title}`);
  } catch (error) {
    console.log(`no test results: ${error.message}`);
  }
  rmSync(folder, { recursive: true, force: true });
  report("tests", code === 0, startedAt, output);
}

function skippedTitles(results) {
  const tests = results.testResults.flatMap((file) => file.assertionResults);
  return tests
    .filter((test) => ["skipped", "pending", "todo"].includes(test.status))
    .map((test) => test.fullName);
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
