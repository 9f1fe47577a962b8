// What clients do by default where things go wrong: each question is asked of each client in a process of its own, with the drivers that
// `pnpm bench` measures them by. Needs `pnpm bench:setup`, which installs the other clients. `node docs/other-clients/compare.mjs [CLIENT…]`
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CLIENTS } from "../../bench/src/clients/clients.ts";
import { COMPETITORS } from "../../bench/src/clients/names.ts";
import { readFaultRecord, stdioFaultServer } from "../../packages/test-kit/dist/index.js";

const SELF = fileURLToPath(import.meta.url);
/** No answer is worth waiting longer for. */
const PATIENCE_MS = 20_000;
const ECHO = { name: "echo", takes: "message" };

/** Each answers in a word or two. `scratch` is a folder that is gone afterwards. */
const QUESTIONS = {
  "the server crashed: the same tool, called again for ten seconds": async (start, scratch) => {
    const recordTo = join(scratch, "record");
    const running = await start([server("flaky", { recordTo })]);
    await running.call("before");
    process.kill(readFaultRecord(recordTo).findLast(({ event }) => event === "started").pid, "SIGKILL");
    return (await answersWithin(running, 10_000)) ? "answers" : "fails";
  },
  "the call had arrived when the server crashed: it is made": async (start, scratch) => {
    const recordTo = join(scratch, "record");
    const running = await start([server("flaky", { recordTo, exitOn: "call" })]);
    await running.call("pay").catch(() => {});
    await delay(3_000);
    const calls = readFaultRecord(recordTo).filter(({ method }) => method === "tools/call").length;
    return calls === 1 ? "once" : `${calls} times`;
  },
  "a server that speaks 2026-07-28 only": async (start) => {
    const running = await start([server("modern", { era: "modern" })]);
    return isAnswer(await running.call("hello"), "hello") ? "works" : "fails";
  },
  "the second start, of a server that needs three seconds: its tools": async (start, scratch) => {
    const options = { catalogDirectory: join(scratch, "catalog") };
    const slow = server("slow", { answerLateMs: { initialize: 3_000, "server/discover": 3_000 } });
    const first = await start([slow], options);
    await first.call("first");
    await first.close();
    const before = performance.now();
    const { tools } = await start([slow], options);
    return tools.length > 0 && performance.now() - before < 2_000 ? "at once" : "after it";
  },
  "the client is closed: a process that the server had started": async (start, scratch) => {
    const recordTo = join(scratch, "record");
    const running = await start([server("parent", { recordTo, grandchild: { holdsPipes: false } })]);
    await running.call("hello");
    await Promise.race([running.close(), delay(8_000)]);
    const { grandchild } = readFaultRecord(recordTo).findLast(({ event }) => event === "started");
    if (!isRunning(grandchild)) return "ended";
    process.kill(grandchild, "SIGKILL");
    return "runs on";
  },
};

function server(name, script = {}) {
  const { command, args } = stdioFaultServer(script);
  return { name, transport: "stdio", command, args, echo: ECHO };
}

/** The servers' tool answers its arguments; a text that merely tells of a failure is none. */
function isAnswer(answer, message) {
  return answer?.replace(/\s/g, "") === JSON.stringify({ message });
}

async function answersWithin(running, limitMs) {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const answer = await Promise.race([running.call("again").catch(() => undefined), delay(5_000)]);
    if (isAnswer(answer, "again")) return true;
    await delay(100);
  }
  return false;
}

/** One that has ended and that nobody has asked about is shown as `Z` by Linux. */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") return true;
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** One question to one client, in this process; the answer is its last line. */
async function ask(client, question) {
  const scratch = mkdtempSync(join(tmpdir(), "compare-"));
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const parent = pathToFileURL(join(folderOf(client), "package.json")).href;
  const load = (specifier) => import(import.meta.resolve(specifier, parent));
  const start = (servers, options) => CLIENTS[client].start(servers, { ...options, load });
  const answer = await Promise.race([
    QUESTIONS[question](start, scratch).catch((error) => {
      process.stderr.write(`${client}, ${question}: ${error?.stack}\n`);
      return "fails";
    }),
    delay(PATIENCE_MS).then(() => "no answer"),
  ]);
  process.stdout.write(`\n${answer}\n`, () => process.exit());
}

function askElsewhere(client, question) {
  const flags = ["--experimental-import-meta-resolve", "--no-warnings", SELF];
  const child = spawn(process.execPath, [...flags, client, question], {
    stdio: ["ignore", "pipe", process.env.COMPARE_VERBOSE === undefined ? "ignore" : "inherit"],
    env: { ...process.env, COMPARE_CHILD: "1", JACKFIELD_HOME: undefined },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  return new Promise((resolve) => child.once("close", () => resolve(output.trim().split("\n").at(-1))));
}

function folderOf(client) {
  return fileURLToPath(new URL(`../../bench/competitors/${client}`, import.meta.url));
}

function versionOf(client) {
  if (!COMPETITORS.includes(client)) return client;
  const { dependencies } = JSON.parse(readFileSync(join(folderOf(client), "package.json"), "utf8"));
  const [name] = Object.keys(dependencies).sort(
    (a, b) => Number(b.includes("mcp")) - Number(a.includes("mcp")),
  );
  const main = { "openai-agents": "@openai/agents" }[client] ?? name;
  return `${main} ${dependencies[main]}`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

const [, , ...named] = process.argv;
if (process.env.COMPARE_CHILD === "1") await ask(named[0], named[1]);
else {
  const clients =
    named.length > 0 ? named : ["jackfield", ...COMPETITORS.filter((name) => name !== "raw-sdk-v1")];
  print(`${new Date().toISOString().slice(0, 10)}, Node.js ${process.version}, ${process.platform}\n`);
  print(`| | ${clients.map(versionOf).join(" | ")} |\n|${"---|".repeat(clients.length + 1)}`);
  for (const question of Object.keys(QUESTIONS)) {
    const answers = [];
    for (const client of clients) answers.push(await askElsewhere(client, question));
    print(`| ${question} | ${answers.join(" | ")} |`);
  }
}
