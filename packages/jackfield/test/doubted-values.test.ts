import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createOAuth, type OAuth } from "@jackfield/mcp-auth";
import { type AuthPort, McpError } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { useGuardedServer } from "./guarded-server.ts";
import { createProjectFixture, type ProjectFixture } from "./project-fixture.ts";

useLeakCheck();

const remote = useGuardedServer();

let user: ProjectFixture;
beforeEach(() => {
  user = createProjectFixture();
});
afterEach(() => user[Symbol.dispose]());

const write = (key: string) => writeFileSync(join(user.home, "key"), key);

/** How a server that requires an API key answers its clients. */
interface Gate {
  key: string;
  /** The status that refuses even the right key, as if an expired token came with it. */
  refusal?: 401 | 403 | undefined;
  /** The answer to a request for metadata. */
  metadata: number | ((response: ServerResponse) => void);
}

/** The server, on a port of its own, and the keys that it was sent, each once as long as it stays the same. */
async function openServer(gate: Gate) {
  const keys: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const key = request.headers["x-api-key"];
    const { metadata } = gate;
    if (request.url !== "/mcp")
      return typeof metadata === "number" ? void response.writeHead(metadata).end() : metadata(response);
    if (keys.at(-1) !== key) keys.push(key);
    const refusal = key === gate.key ? gate.refusal : 401;
    if (refusal !== undefined)
      return void response.writeHead(refusal, { "www-authenticate": "Bearer" }).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const results: { readonly [method: string]: unknown } = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      },
      "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
      "tools/call": { content: [] },
    };
    const result = results[method];
    const outcome = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, keys, [Symbol.asyncDispose]: close };
}

/** A runtime with that server, whose key a command prints. */
async function openWithKey(url: string, auth: AuthPort) {
  const said: unknown[] = [];
  const { connect: _, ...options } = user.options;
  user.writeFile(".omp/agent/mcp.json", {
    mcpServers: { s: { type: "http", url, headers: { "X-Api-Key": "!cat ../../key" } } },
  });
  const mcp = await openMcp({
    ...options,
    discover: { cwd: user.project, home: user.home, env: {}, hosts: ["omp"] },
    resolve: { runCommands: true },
    retry: { initialDelayMs: 1, maxRetries: 1 },
    auth,
    log: (level, message, fields) => void (message.includes("left out") && said.push([level, fields])),
  });
  return { mcp, said, call: () => mcp.callTool({ server: "s", tool: "t" }) };
}

/** Credentials whose authorization server is busy. */
const busy: AuthPort = {
  headers: async () => ({}),
  onChallenge: async () => {
    throw new McpError("MCP_CONNECT_FAILED", "busy", { httpStatus: 503, outcome: "rejected" });
  },
};
const outage = { code: "MCP_CONNECT_FAILED", httpStatus: 503 };

describe.skipIf(process.platform === "win32")(
  "a value printed by a command, when the 401 may concern a token instead",
  () => {
    it("is sent again after an outage that kept the token from being renewed", async () => {
      write("good");
      const gate: Gate = { key: "good", metadata: 404 };
      await using server = await openServer(gate);
      const { mcp, said, call } = await openWithKey(server.url, busy);
      await using _ = mcp;
      for (const _time of [1, 2]) {
        gate.refusal = 401;
        await expect(call()).rejects.toMatchObject(outage);
        await expect(mcp.reconnect("s")).rejects.toMatchObject(outage);
        gate.refusal = undefined;
        await mcp.reconnect("s");
        expect(await call()).toMatchObject({ content: [] });
      }
      expect(server.keys).toEqual(["good"]);
      expect(said).toEqual([]);
    });

    it("[A9] is read again after a refusal, even if metadata is always answered with 503", async () => {
      write("first");
      const gate: Gate = { key: "first", metadata: 503 };
      await using server = await openServer(gate);
      await using auth = createOAuth();
      const { mcp, said, call } = await openWithKey(server.url, auth);
      await using _ = mcp;
      for (const next of ["second", "third"]) {
        gate.key = next;
        write(next);
        await expect(call()).rejects.toMatchObject(outage);
        await mcp.reconnect("s");
        expect(await call()).toMatchObject({ content: [] });
      }
      expect(server.keys).toEqual(["first", "second", "third"]);
      expect(said).toEqual([]);
    });

    it("[A9] is not sent again once a 401 is known to concern it", async () => {
      write("first");
      const gate: Gate = { key: "first", metadata: 503 };
      await using server = await openServer(gate);
      await using auth = createOAuth();
      const { mcp, said, call } = await openWithKey(server.url, auth);
      await using _ = mcp;
      gate.key = "second";
      await expect(call()).rejects.toMatchObject(outage);
      gate.metadata = 404;
      await expect(mcp.reconnect("s")).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
      await expect(mcp.reconnect("s")).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
      expect(server.keys).toEqual(["first", undefined]);
      expect(said).toHaveLength(1);
    });

    it.each<[string, Gate["metadata"]]>([
      [
        "is compressed without need",
        (response) =>
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("<!doctype html>")),
      ],
      ["redirects without a location", 302],
    ])("[A9] is not sent again if the metadata answer %s", async (_, metadata) => {
      write("first");
      const gate: Gate = { key: "first", metadata };
      await using server = await openServer(gate);
      await using auth = createOAuth();
      const { mcp, said, call } = await openWithKey(server.url, auth);
      await using _mcp = mcp;
      gate.key = "second";
      await expect(call()).rejects.toMatchObject({ httpStatus: 401 });
      for (const _time of [1, 2]) await expect(mcp.reconnect("s")).rejects.toMatchObject({ httpStatus: 401 });
      expect(server.keys).toEqual(["first", undefined]);
      expect(said).toHaveLength(1);
    });

    it("is kept after a 403, even if the challenge fails", async () => {
      write("good");
      const gate: Gate = { key: "good", metadata: 404 };
      await using server = await openServer(gate);
      const { mcp, call } = await openWithKey(server.url, busy);
      await using _ = mcp;
      gate.refusal = 403;
      write("unread");
      await expect(call()).rejects.toMatchObject(outage);
      gate.refusal = undefined;
      expect(await call()).toMatchObject({ content: [] });
      await mcp.reconnect("s");
      expect(server.keys).toEqual(["good"]);
    });
  },
);

/** A runtime with the guarded server, to which somebody has logged in. */
async function openLoggedIn(auth: OAuth) {
  const server = { name: "files", transport: "http", url: remote.url, headers: {}, secrets: [] } as const;
  await auth.login(server, { authorize: async (url) => void (await fetch(url)) });
  return openMcp({
    servers: { files: { url: remote.url } },
    discover: false,
    cache: false,
    retry: { maxRetries: 0 },
    auth,
  });
}

it.each([503, 429])(
  "a token endpoint that answers %d once fails a call, but not a listing",
  async (status) => {
    await using auth = createOAuth();
    await using mcp = await openLoggedIn(auth);
    const beBusyOnce = () => {
      remote.authority.office.expireAccessTokens();
      remote.authority.behave({
        tokens: () => {
          remote.authority.behave({});
          return { status, body: {} };
        },
      });
    };
    beBusyOnce();
    await mcp.refreshTools("files");
    beBusyOnce();
    const call = () => mcp.callTool({ server: "files", tool: "echo" }, { text: "here" });
    const busy = { code: "MCP_CONNECT_FAILED", outcome: "rejected", httpStatus: status };
    await expect(call()).rejects.toMatchObject(busy);
    expect(JSON.stringify(await call())).toContain("here");
  },
);

it("a refresh token is not sent again to a token endpoint that asks to wait a minute", async () => {
  let presented = 0;
  const office = createServer((_, response) => {
    presented += 1;
    response.writeHead(429, { "retry-after": "60" }).end();
  });
  await new Promise<void>((resolve) => office.listen(0, "127.0.0.1", resolve));
  await using auth = createOAuth();
  await using mcp = await openLoggedIn(auth);
  const token_endpoint = `http://127.0.0.1:${(office.address() as AddressInfo).port}/token`;
  remote.authority.behave({ metadata: { token_endpoint } });
  remote.authority.office.expireAccessTokens();
  const asked = { code: "MCP_CONNECT_FAILED", httpStatus: 429, retryAfterMs: 60_000 };
  await expect(mcp.refreshTools("files")).rejects.toMatchObject(asked);
  expect(presented).toBe(1);
  presented = 0;
  await expect(mcp.callTool({ server: "files", tool: "echo" }, { text: "here" })).rejects.toMatchObject(
    asked,
  );
  expect(presented).toBe(1);
  office.closeAllConnections();
  await new Promise((resolve) => office.close(resolve));
});
