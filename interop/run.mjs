// Tries Jackfield with real servers from npm: each must list its tools, whose schemas must fit every provider, answer a call
// where that needs no network, and leave no process. `--smallest` takes the four that the workspace has anyway; `--eras` tries instead
// what a start costs without a catalog and with one, and `--models` a conversation with all of them by each provider's package,
// `--finding` conversations in which the tools of twelve are searched for. Exit code 0 if all is well, else 1.
import { performance } from "node:perf_hooks";
import { createConnector } from "../packages/mcp-transports/dist/index.js";
import { conversations } from "./conversation.mjs";
import { ERA_COLUMNS, tryEras } from "./eras.mjs";
import { findings } from "./finding.mjs";
import { ownInstallation, workspaceInstallation } from "./installation.mjs";
import { SERVERS } from "./servers.mjs";
import { inSurroundings, nameOf, PATIENCE_MS, waysTo } from "./surroundings.mjs";
import { print, printTable } from "./table.mjs";
import { schemaProblems } from "./tool-schemas.mjs";

const COLUMNS = ["name", "version", "over", "era", "protocol", "tools", "call", "openMs", "closeMs", "left"];

const isSmallest = process.argv.includes("--smallest");
const ofEras = process.argv.includes("--eras");
const withModels = process.argv.includes("--models");
const isFinding = process.argv.includes("--finding");
const servers = isSmallest ? SERVERS.filter(({ small }) => small) : SERVERS;
const installation = isSmallest ? workspaceInstallation() : ownInstallation();
const connect = createConnector({ clientInfo: { name: "jackfield-interop", version: "0.0.0" } });

const rows = withModels ? await conversations(servers, installation) : [];
if (isFinding) rows.push(...(await findings(servers, installation)));
for (const server of withModels || isFinding ? [] : servers)
  for (const way of waysTo(server))
    rows.push(...(ofEras ? [await tryEras({ installation, server, way })] : await tryBothEras(server, way)));
const columns = isFinding
  ? ["name", "tools", "without", "with", "share", "last"]
  : ["name", "tools", "calls"];
printTable(withModels || isFinding ? columns : ofEras ? ERA_COLUMNS : COLUMNS, rows);
const failed = rows.filter(({ problems }) => problems.length > 0);
for (const { name, problems } of failed) for (const problem of problems) print(`${name}: ${problem}`);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const answered = rows.filter(({ call }) => call !== "-").length;
const seen =
  ofEras || withModels || isFinding
    ? ""
    : ` (${sum(rows.map(({ tools }) => tools))} tools listed, ${answered} calls answered)`;
print(`${rows.length - failed.length} passed, ${failed.length} failed${seen}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** In the era that is found, or in both, where the server speaks both. */
async function tryBothEras(server, way) {
  const rows = [];
  for (const era of server.isModern ? ["modern", "legacy"] : [undefined])
    rows.push(await tryServer({ server, way, era }));
  return rows;
}

/** Opens, lists, calls and closes; never throws. */
async function tryServer({ server, way, era }) {
  const { name, tools, call } = server;
  const row = {
    ...{ name, over: nameOf(way), era: "-", protocol: "-", tools: 0 },
    ...{ call: "-", openMs: "-", closeMs: "-", problems: [] },
  };
  const { problems } = row;
  const facts = await inSurroundings({ installation, name, way, problems }, ({ definition, resolve }) => {
    const expected = { tools, call: call && { ...call, args: resolve(call.args) } };
    return converse({ ...definition, limits: { era } }, expected, row, problems);
  });
  return { ...row, ...facts };
}

async function converse(definition, expected, row, problems) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const startedAt = performance.now();
  const session = await connect(definition, { signal, log: () => {} });
  row.openMs = Math.round(performance.now() - startedAt);
  row.era = session.handshake.era;
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
