// Runs the official conformance suite against `client.mjs`, one scenario at a time: a run of the whole suite ignores the exit
// codes of its clients. Exit code 0 if every scenario passes.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const REVISIONS = ["2025-11-25", "2026-07-28"];
/** Scenarios outside the frozen lists that concern what is already there. */
const BESIDES = ["json-schema-2020-12-preservation"];
/** Scenarios of extensions that are about authorization; they have no list and no wire of their own. */
const EXTENSIONS = [
  "auth/client-credentials-basic",
  "auth/client-credentials-jwt",
  "auth/enterprise-managed-authorization",
  "auth/wif-jwt-bearer",
  "auth/dpop",
  "auth/dpop-nonce",
];
/** `http-standard-headers` passes over methods that a client does not use; so many checks it has when all are. */
const LEAST_PASSED = { "http-standard-headers": 9 };
/** What was checked and failed, how the client ended, and what it said of that. */
const TELLING = /^ {2}- |^ {4}\w+: |CLIENT |Error(:| \[)/;
/** Beyond what any scenario needs; a client that hangs must not hold the run. */
const PATIENCE_MS = 30_000;

const SUITE = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const CLIENT = join(import.meta.dirname, "client.mjs");

const runs = REVISIONS.flatMap((revision) =>
  scenariosOf(revision).map((scenario) => ({ revision, scenario })),
).concat(EXTENSIONS.map((scenario) => ({ revision: "extension ", scenario })));
const rows = await inTurns(runs, availableParallelism(), runScenario);
for (const { revision, scenario, isPassed, passed, failures } of rows) {
  print(`${isPassed ? "ok    " : "FAILED"} ${revision}  ${scenario}  (${passed} checks)`);
  for (const failure of failures) print(`         ${failure}`);
}
const failed = rows.filter(({ isPassed }) => !isPassed);
print(`${rows.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The frozen list of a revision, and what concerns it besides. */
function scenariosOf(revision) {
  const file = join(SUITE, "requirements", `${revision}.yaml`);
  return [...parse(readFileSync(file, "utf8")).client, ...BESIDES];
}

/** Never rejects. */
async function runScenario({ revision, scenario }) {
  const command = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(CLIENT)}`;
  const wire = REVISIONS.includes(revision) ? ["--spec-version", revision] : [];
  const args = ["client", "--command", command, "--scenario", scenario, ...wire];
  const { code, output } = await execute([
    join(SUITE, "dist/index.js"),
    ...args,
    "--timeout",
    String(PATIENCE_MS),
  ]);
  const passed = Number(/Passed: (\d+)\//.exec(output)?.[1] ?? 0);
  const isPassed = code === 0 && passed >= (LEAST_PASSED[scenario] ?? 1);
  const failures = output.split("\n").filter((line) => TELLING.test(line));
  return { revision, scenario, isPassed, passed, failures: isPassed ? [] : failures };
}

function execute(args) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, NO_COLOR: "1" } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? 1), output: `${stdout}${stderr}` }),
    );
  });
}

/** So many at a time; the answers in order. */
async function inTurns(items, atOnce, work) {
  const answers = [];
  let next = 0;
  const turn = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      answers[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, turn));
  return answers;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
