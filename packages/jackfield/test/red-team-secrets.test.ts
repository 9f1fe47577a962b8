import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import type { InlineServer } from "@jackfield/mcp-config";
import { langchainTools } from "@jackfield/mcp-langchain";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { openGuarded } from "./red-team-runtime.ts";

useLeakCheck();

const TELLTALE = fileURLToPath(new URL("./fixtures/telltale-server.mjs", import.meta.url));
/** How a child process fails: before it says anything, in its handshake, its list, or a call. */
const FAILURES = ["exits", "garbles", "refuses", "hides", "dies", "answers"];
/** What a remote server answers. */
const STATUSES = [200, 307, 401, 403, 404, 429, 500];

let folder: TemporaryFolder;
let canaries: string[];
beforeEach(() => {
  folder = temporaryFolder();
  canaries = [];
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

const plain = () => randomBytes(9).toString("hex");
/** Differs from itself in JSON, in an address, and in base64. */
const awkward = () => `${randomBytes(5).toString("hex")}"/+&ü${randomBytes(5).toString("hex")}`;

/** A secret that occurs once and cannot be told from other text. */
function canary(make = plain): string {
  const secret = make();
  canaries.push(secret);
  return secret;
}

/** The same in a variable whose name says so, which an entry refers to. */
function reference(make = plain): string {
  const name = `RED_TEAM_TOKEN_${canaries.length}`;
  vi.stubEnv(name, canary(make));
  return `\${${name}}`;
}

function localServer(failure: string): InlineServer {
  return {
    command: process.execPath,
    args: [TELLTALE, failure, reference(awkward), `--token=${reference()}`],
    env: { FLAVOUR: reference(awkward), API_KEY: canary(awkward), PLACE: reference() },
  };
}

function remoteServer(port: number, status: number): InlineServer {
  return {
    url: `http://${canary()}:${canary()}@127.0.0.1:${port}/${status}?token=${canary()}`,
    headers: { authorization: `Bearer ${canary()}`, "x-flavour": reference() },
  };
}

/** A remote server that repeats each request in its answer. */
async function echoServer() {
  const server = createServer((request, response) => {
    const echoed = `${request.url} ${JSON.stringify(request.headers)}`;
    const location = `http://127.0.0.2:1/${encodeURIComponent(echoed)}`;
    response.setHeader("www-authenticate", `Bearer realm=${JSON.stringify(echoed)}`);
    response.setHeader("content-type", "text/html");
    response.writeHead(Number(request.url?.match(/\d+/)?.[0]), { location }).end(`no access with ${echoed}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Everything that comes out of a runtime whose servers fail in every way, at the finest level of logging. */
async function outputs() {
  const said: unknown[] = [];
  const remote = await echoServer();
  const servers = Object.fromEntries([
    ...FAILURES.map((failure) => [failure, localServer(failure)] as const),
    ...STATUSES.map((status) => [`status-${status}`, remoteServer(remote.port, status)] as const),
  ]);
  const { mcp } = await openGuarded({
    servers,
    cache: { path: folder.file("cache") },
    retry: { maxRetries: 0 },
    log: (...line) => void said.push(line),
  });
  // Notifications are a server's own words for the host, and pass unchanged.
  for (const event of ["statusChanged", "diagnostic"] as const)
    mcp.on(event, (payload) => void said.push(payload));
  const calls = Object.keys(servers).map((server) =>
    mcp.callTool({ server, tool: "read" }, {}).then(
      () => expect.unreachable(),
      (error: unknown) => said.push(error),
    ),
  );
  await Promise.all(calls);
  said.push(mcp.report, mcp.servers(), mcp.tools(), mcp, mcp.view({ servers: Object.keys(servers) }));
  said.push(aiSdkTools(mcp), langchainTools(mcp));
  await mcp.close();
  remote.close();
  const kept = readdirSync(folder.file("cache")).map((name) =>
    readFileSync(folder.file(`cache/${name}`), "latin1"),
  );
  const shown = said.map((value) => `${inspect(value, SHOW_ALL)}${stackOf(value)}`);
  return { shown: shown.join("\n"), json: said.map(asJson).join("\n"), kept: kept.join("\n") };
}

const SHOW_ALL = { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null };

/** Some objects of a framework refer to themselves. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    return String(error);
  }
}

function stackOf(value: unknown): string {
  return value instanceof Error ? `${value.stack}${stackOf(value.cause)}` : "";
}

/** A secret in every spelling, and every eight characters of it. */
function formsOf(secret: string): readonly string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64").replace(/=+$/, "");
  return [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64(secret),
    base64(`user:${secret}`),
    ...Array.from({ length: secret.length - 7 }, (_, from) => secret.slice(from, from + 8)),
  ];
}

describe("secrets that failing servers repeat", () => {
  test("[T90][T91][T92] are in no log, event, error, report or file, not even in part or encoded", async () => {
    const places = await outputs();
    expect(canaries.length).toBeGreaterThanOrEqual(60);
    expect(places.shown.match(/started with|no access with/g)?.length).toBeGreaterThan(FAILURES.length);
    const leaked = Object.entries(places).flatMap(([place, text]) =>
      canaries.flatMap((secret, index) =>
        formsOf(secret).flatMap((form) =>
          text.includes(form) ? [`${place}: ${form} of canary ${index}`] : [],
        ),
      ),
    );
    expect(leaked).toEqual([]);
  });
});
