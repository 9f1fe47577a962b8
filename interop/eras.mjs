// What a start costs when nothing is known of a server (cold), and when the catalog knows its era (warm).
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { sqliteToolCache } from "../packages/mcp-tool-cache/dist/index.js";
import { createConnector } from "../packages/mcp-transports/dist/index.js";
import { inSurroundings, nameOf, PATIENCE_MS } from "./surroundings.mjs";

/**
 * `coldMs` and `warmMs`: until the session is open / until the first answer. `starts`: processes, cold / warm. `cold` and `warm`: the requests
 * that were made before the first call.
 */
export const ERA_COLUMNS = [
  "name",
  "version",
  "over",
  "era",
  "protocol",
  "coldMs",
  "warmMs",
  "starts",
  "cold",
  "warm",
];

const TAP = fileURLToPath(new URL("tap.mjs", import.meta.url));
const CLIENT = { clientInfo: { name: "jackfield-interop", version: "0.0.0" } };

/** Starts a server four times, cold and warm, with a stop-watch and then with a tap; never throws. */
export async function tryEras({ installation, server, way }) {
  const { name, call } = server;
  const row = {
    ...{ name, over: nameOf(way), era: "-", protocol: "-" },
    ...{ coldMs: "-", warmMs: "-", starts: "-", cold: "-", warm: "-", problems: [] },
  };
  const { problems } = row;
  const facts = await inSurroundings({ installation, name, way, problems }, async (surroundings) => {
    const { definition, resolve, folder } = surroundings;
    const first = call && { name: call.tool, arguments: resolve(call.args) };
    const measured = {
      definition,
      first,
      catalog: join(folder, "catalog"),
      connect: createConnector(CLIENT),
    };
    const cold = await start(measured);
    const warm = await start(measured);
    row.era = warm.handshake.era;
    row.protocol = warm.handshake.protocolVersion;
    row.coldMs = `${cold.openMs} / ${cold.answerMs}`;
    row.warmMs = `${warm.openMs} / ${warm.answerMs}`;
    if (cold.handshake.era !== row.era) problems.push(`was ${cold.handshake.era} at first`);
    await count({ ...measured, ...tapped(definition, folder), catalog: join(folder, "second") }, row);
  });
  return { ...row, ...facts };
}

async function count(tapping, row) {
  const { record, definition } = tapping;
  const seen = [];
  for (const _ of ["cold", "warm"]) {
    const before = record().length;
    await start(tapping);
    seen.push(record().slice(before));
  }
  const [cold, warm] = seen.map(beforeFirstCall);
  row.cold = cold.join(", ") || "none";
  row.warm = warm.join(", ") || "none";
  const due = row.era === "modern" ? "none" : "initialize";
  if (row.warm !== due) row.problems.push(`made other requests than ${due} when it was known: ${row.warm}`);
  if (definition.transport !== "stdio") return;
  const starts = seen.map((events) => events.filter((event) => event === "started").length);
  row.starts = starts.join(" / ");
  if (starts.some((number) => number !== 1)) row.problems.push(`was started ${row.starts} times`);
}

function beforeFirstCall(events) {
  const end = events.findIndex((event) => event === "tools/call" || event === "tools/list");
  return events.slice(0, end).filter((event) => event !== "started");
}

/** Opens with what the catalog knows, makes the first call, or lists where no call can be made, and has the catalog know it. */
async function start({ definition, first, catalog, connect }) {
  const cache = sqliteToolCache({ path: catalog });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { id, credentials } = await cache.identify(definition);
    const prior = (await cache.getMany([id])).get(id)?.prior;
    const startedAt = performance.now();
    const session = await connect(definition, { signal, prior, log: () => {} });
    const openMs = Math.round(performance.now() - startedAt);
    try {
      if (first) await session.request("tools/call", first, { signal });
      else await session.list("tools", { signal });
      const answerMs = Math.round(performance.now() - startedAt);
      const { items: tools } = await session.list("tools", { signal });
      const { handshake } = session;
      const entry = {
        server: definition.name,
        credentials,
        tools,
        prior: handshake.prior,
        listedAt: Date.now(),
      };
      await cache.set(id, entry);
      return { handshake, openMs, answerMs };
    } finally {
      await session.close();
    }
  } finally {
    await cache.close();
  }
}

/** The same server with something on the way that writes down what is asked: a process, or a `fetch`. */
function tapped(definition, folder) {
  const file = join(folder, "requests");
  const record = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  if (definition.transport === "stdio")
    return { record, definition: { ...definition, args: [TAP, file, ...definition.args] } };
  const recordingFetch = (url, options) => {
    const { id, method } = typeof options?.body === "string" ? JSON.parse(options.body) : {};
    if (id !== undefined && method !== undefined) appendFileSync(file, `${method}\n`);
    return fetch(url, options);
  };
  return { record, connect: createConnector({ ...CLIENT, http: { fetch: recordingFetch } }) };
}
