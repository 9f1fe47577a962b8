// Tries Jackfield with real servers from npm: each must list its tools, whose schemas must fit every provider, answer a call
// where that needs no network, and leave no process. `--smallest` takes the four that the workspace has anyway. Exit code 0 if all is well, else 1.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createConnector } from "../packages/mcp-transports/dist/index.js";
import { findServer, ownInstallation, workspaceInstallation } from "./installation.mjs";
import { MARK, markedProcesses } from "./marked-processes.mjs";
import { findFreePort, startListening } from "./remote-process.mjs";
import { SERVERS } from "./servers.mjs";
import { schemaProblems } from "./tool-schemas.mjs";

/** The slowest of them takes 2 s on an idle machine. */
const PATIENCE_MS = 60_000;

const isSmallest = process.argv.includes("--smallest");
const servers = isSmallest ? SERVERS.filter(({ small }) => small) : SERVERS;
const installation = isSmallest ? workspaceInstallation() : ownInstallation();
const connect = createConnector({ clientInfo: { name: "jackfield-interop", version: "0.0.0" } });

const rows = [];
for (const server of servers)
  for (const way of [{ transport: "stdio", args: server.args, env: server.env }, ...(server.remote ?? [])])
    rows.push(await tryServer(server, way));
printTable(rows);
const failed = rows.filter(({ problems }) => problems.length > 0);
for (const { name, problems } of failed) for (const problem of problems) print(`${name}: ${problem}`);
const answered = rows.filter(({ call }) => call !== "-").length;
const tools = rows.reduce((sum, row) => sum + row.tools, 0);
print(
  `${rows.length - failed.length} passed, ${failed.length} failed (${tools} tools listed, ${answered} calls answered)`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Opens, lists, calls and closes; never throws. */
async function tryServer({ name, tools, call }, { transport, args = [], env = {}, path }) {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-interop-"));
  writeFileSync(join(folder, "note.txt"), "A note.\n");
  const mark = `${process.pid}-${rows.length}-${name}`;
  const port = transport === "stdio" ? undefined : await findFreePort();
  const resolve = (value) => (typeof value === "function" ? value({ folder, port }) : value);
  const row = {
    name,
    version: "-",
    over: path === undefined ? transport : `${transport} ${path}`,
    protocol: "-",
    tools: 0,
    call: "-",
    openMs: "-",
    closeMs: "-",
    left: "-",
  };
  const problems = [];
  try {
    const { version, program } = findServer(installation, name);
    row.version = version;
    const launch = {
      args: [program, ...resolve(args)],
      env: { PATH: process.env.PATH ?? "", HOME: folder, [MARK]: mark, ...resolve(env) },
      cwd: folder,
    };
    const expected = { tools, call: call && { ...call, args: resolve(call.args) } };
    if (port === undefined) {
      const definition = { transport, name, command: process.execPath, ...launch, secrets: [] };
      await converse(definition, expected, row, problems);
    } else {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const end = await startListening({ ...launch, port, signal });
      const url = `http://localhost:${port}${path}`;
      await converse({ transport, name, url, headers: {}, secrets: [] }, expected, row, problems).finally(
        end,
      );
    }
  } catch (error) {
    problems.push(String(error));
  }
  const left = markedProcesses(mark);
  row.left = left?.length ?? "?";
  for (const process of left ?? []) problems.push(`left process ${process}`);
  rmSync(folder, { recursive: true, force: true });
  return { ...row, problems };
}

async function converse(definition, expected, row, problems) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const startedAt = performance.now();
  const session = await connect(definition, { signal, log: () => {} });
  row.openMs = Math.round(performance.now() - startedAt);
  row.protocol = session.handshake.protocolVersion;
  try {
    const { items } = await session.list("tools", { signal });
    row.tools = items.length;
    if (items.length !== expected.tools) problems.push(`listed ${items.length} tools, not ${expected.tools}`);
    problems.push(...schemaProblems(items, expected.call));
    if (expected.call) await callTool(session, expected.call, row, problems, signal);
  } finally {
    const closingAt = performance.now();
    await session.close();
    row.closeMs = Math.round(performance.now() - closingAt);
  }
}

async function callTool(session, { tool, args, isRight }, row, problems, signal) {
  const result = await session.request("tools/call", { name: tool, arguments: args }, { signal });
  row.call = tool;
  if (result.isError || !isRight(result)) problems.push(`answered ${tool} with ${JSON.stringify(result)}`);
}

function printTable(all) {
  const columns = ["name", "version", "over", "protocol", "tools", "call", "openMs", "closeMs", "left"];
  const lines = [columns, ...all.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index].length)));
  for (const line of lines)
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    );
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
