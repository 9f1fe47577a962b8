// Tries Jackfield with real servers from npm: each must list its tools, whose schemas must fit every provider, answer a call
// where that needs no network, and leave no process. `--smallest` takes the four that the workspace has anyway; `--eras` tries instead
// what a start costs without a catalog and with one. Exit code 0 if all is well, else 1.
import { performance } from "node:perf_hooks";
import { createConnector } from "../packages/mcp-transports/dist/index.js";
import { ERA_COLUMNS, tryEras } from "./eras.mjs";
import { ownInstallation, workspaceInstallation } from "./installation.mjs";
import { SERVERS } from "./servers.mjs";
import { inSurroundings, nameOf, PATIENCE_MS, waysTo } from "./surroundings.mjs";
import { print, printTable } from "./table.mjs";
import { schemaProblems } from "./tool-schemas.mjs";

const COLUMNS = ["name", "version", "over", "protocol", "tools", "call", "openMs", "closeMs", "left"];

const isSmallest = process.argv.includes("--smallest");
const ofEras = process.argv.includes("--eras");
const servers = isSmallest ? SERVERS.filter(({ small }) => small) : SERVERS;
const installation = isSmallest ? workspaceInstallation() : ownInstallation();
const connect = createConnector({ clientInfo: { name: "jackfield-interop", version: "0.0.0" } });

const rows = [];
for (const server of servers)
  for (const way of waysTo(server))
    rows.push(await (ofEras ? tryEras : tryServer)({ installation, server, way }));
printTable(ofEras ? ERA_COLUMNS : COLUMNS, rows);
const failed = rows.filter(({ problems }) => problems.length > 0);
for (const { name, problems } of failed) for (const problem of problems) print(`${name}: ${problem}`);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const answered = rows.filter(({ call }) => call !== "-").length;
const seen = ofEras
  ? ""
  : ` (${sum(rows.map(({ tools }) => tools))} tools listed, ${answered} calls answered)`;
print(`${rows.length - failed.length} passed, ${failed.length} failed${seen}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Opens, lists, calls and closes; never throws. */
async function tryServer({ installation, server, way }) {
  const { name, tools, call } = server;
  const row = {
    ...{ name, over: nameOf(way), protocol: "-", tools: 0 },
    ...{ call: "-", openMs: "-", closeMs: "-", problems: [] },
  };
  const { problems } = row;
  const facts = await inSurroundings({ installation, name, way, problems }, ({ definition, resolve }) => {
    const expected = { tools, call: call && { ...call, args: resolve(call.args) } };
    return converse(definition, expected, row, problems);
  });
  return { ...row, ...facts };
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
