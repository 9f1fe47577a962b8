// Starts and closes a server with a difficult process tree repeatedly, and prints how many processes survived.
//   node --no-warnings test/stress/process-tree.mjs [rounds, default 100] [servers in each round, default 1]
// The tree: a shell around the server, which ignores the end of its input and SIGTERM, a child of the same kind, and a
// grandchild of the same kind that has called setsid.
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createConnector } from "../../src/index.ts";

const [rounds = 100, servers = 1] = process.argv.slice(2).map(Number);
const FIXTURE = fileURLToPath(new URL("../fixtures/scripted-server.mjs", import.meta.url));
const options = { signal: new AbortController().signal, log: () => {} };

const script = (message, { process, answer }) => {
  const { spawn } = process.getBuiltinModule("node:child_process");
  if (message.method === "started") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    const leaf = `trap "" TERM; echo $$; while :; do sleep 600; done`;
    const line = `trap "" TERM; echo $$; setsid sh -c '${leaf}' & while :; do sleep 600; done`;
    const child = spawn("/bin/sh", ["-c", line], { stdio: ["ignore", "pipe", "ignore"] });
    globalThis.printed = "";
    child.stdout.on("data", (chunk) => {
      globalThis.printed += chunk;
    });
  }
  if (message.method !== "tools/call") return undefined;
  const pids = globalThis.printed.trim().split("\n").map(Number);
  answer({ content: [], structuredContent: { pids: [process.ppid, process.pid, ...pids] } });
  return true;
};

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const line = [process.execPath, FIXTURE, script.toString(), "", "{}"].map(quoted).join(" ");
const server = {
  transport: "stdio",
  name: "stubborn",
  command: "/bin/sh",
  args: ["-c", `${line}; true`],
  env: { PATH: process.env.PATH ?? "" },
  limits: { connectTimeoutMs: 0 },
  secrets: [],
};

function isRunning(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

/** All processes of a server, once both of its children have printed their process ids. */
async function pidsOf(session) {
  for (;;) {
    const { structuredContent } = await session.request("tools/call", { name: "pids", arguments: {} });
    if (structuredContent.pids.length === 4) return structuredContent.pids;
  }
}

const connect = createConnector();
const survivors = [];
const closedInMs = [];
let processes = 0;
for (let round = 0; round < rounds; round += 1) {
  const sessions = await Promise.all(Array.from({ length: servers }, () => connect(server, options)));
  const pids = (await Promise.all(sessions.map(pidsOf))).flat();
  processes += pids.length;
  const startedAt = performance.now();
  await Promise.all(sessions.map((session) => session.close()));
  closedInMs.push(Math.round(performance.now() - startedAt));
  survivors.push(...pids.filter(isRunning));
}
for (const pid of survivors) if (isRunning(pid)) process.kill(pid, "SIGKILL");
closedInMs.sort((a, b) => a - b);
process.stdout.write(
  `${rounds} rounds, ${processes} processes, ${survivors.length} survivors; ` +
    `closing took ${closedInMs[Math.floor(rounds / 2)]} ms (median), ${closedInMs.at(-1)} ms (longest)\n`,
);
process.exitCode = survivors.length > 0 ? 1 : 0;
