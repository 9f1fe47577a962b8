import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { useTemporaryHome } from "./fixture.ts";

useLeakCheck();
useTemporaryHome();

/** Users by the token that the server accepts, and each call that reached it, with its user. */
let users: Map<string, string>;
let calls: string[];
let url: string;
let close: () => Promise<unknown>;

const ANSWERS: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "mail", version: "1" },
  },
  "tools/list": { tools: [{ name: "read", inputSchema: { type: "object" } }] },
  ping: {},
};

function userOf({ headers }: IncomingMessage): string | undefined {
  return users.get(headers.authorization?.replace("Bearer ", "") ?? "");
}

beforeEach(async () => {
  users = new Map([["token-of-the-owner-1", "owner"]]);
  calls = [];
  const server = createServer(async (request, response) => {
    const user = userOf(request);
    if (user === undefined) return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method } = (await json(request)) as { id?: number; method: string };
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call") calls.push(user);
    const result = ANSWERS[method] ?? { content: [{ type: "text", text: user }] };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => close());

type Headers = Extract<NonNullable<OpenMcpOptions["servers"]>[string], { url: string }>["headers"] & object;

const opened = (headers: Headers, options: OpenMcpOptions = {}) =>
  openMcp({ discover: false, cache: false, log: false, servers: { mail: { url, headers } }, ...options });
const read = { server: "mail", tool: "read" };

describe("`headers` as a function", () => {
  it("is awaited with the principal, for each user's own session", async () => {
    const asked: (string | undefined)[] = [];
    users.set("token-of-ann-1", "ann");
    await using mcp = await opened(async ({ principal, signal }) => {
      asked.push(principal);
      expect(signal).toBeInstanceOf(AbortSignal);
      return { Authorization: `Bearer token-of-${principal ?? "the-owner"}-1`, "x-unused": undefined };
    });
    const ann = await mcp.forPrincipal("ann");
    await mcp.callTool(read);
    expect(await ann.callTool(read)).toMatchObject({ content: [{ text: "ann" }] });
    expect(calls).toEqual(["owner", "ann"]);
    expect(asked).toEqual([undefined, "ann"]);
  });

  it("is asked again when a token has expired, and the refused call is made with the new one", async () => {
    let token = "token-of-the-owner-1";
    const rejections: unknown[] = [];
    const headers: Headers = ({ rejected }) => {
      rejections.push(rejected);
      return { authorization: `Bearer ${token}` };
    };
    await using mcp = await opened(headers, { retry: { delaysMs: [0] } });
    users = new Map([["token-of-the-owner-2", "owner"]]);
    token = "token-of-the-owner-2";
    expect(await mcp.callTool(read)).toMatchObject({ content: [{ text: "owner" }] });
    expect(calls).toEqual(["owner"]);
    expect(rejections).toEqual([undefined, true]);
  });

  it("fails a call once if the new token is refused as well", async () => {
    await using mcp = await opened(() => ({ authorization: "Bearer token-of-the-owner-1" }), {
      retry: { delaysMs: [0], maxRetries: 1 },
    });
    users.clear();
    await expect(mcp.callTool(read)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      outcome: "not-sent",
    });
    expect(calls).toEqual([]);
  });

  it("shows none of its values, whatever the header is called", async () => {
    const said: string[] = [];
    await using mcp = await opened(() => ({ "x-tenant": "very-private-tenant" }), {
      log: (...line) => said.push(JSON.stringify(line)),
      connect: async (server) => {
        throw new Error(`no way with ${JSON.stringify(server)}`);
      },
      retry: { maxRetries: 0 },
    });
    expect(JSON.stringify([said, mcp.servers(), mcp.report])).not.toContain("very-private-tenant");
    expect(said.join()).toContain("no way with");
  });

  it.each<[string, unknown, RegExp]>([
    [
      "throws",
      () => Promise.reject(new Error("no session")),
      /function "headers" of its entry failed: no session/,
    ],
    ["returns no headers", () => "Bearer x", /did not return headers by name/],
    ["returns a line break", () => ({ authorization: "a\nb" }), /cannot be sent/],
  ])("fails its server alone if it %s", async (_, headers, message) => {
    await using mcp = await opened(headers as Headers, { retry: { maxRetries: 0 } });
    expect(mcp.report.failed).toMatchObject([
      { name: "mail", error: { message: expect.stringMatching(message) } },
    ]);
  });

  it("is refused for a server that has no URL", async () => {
    const entry = { command: "node", headers: () => ({}) };
    await using mcp = await openMcp({
      discover: false,
      cache: false,
      log: false,
      servers: { local: entry as never },
    });
    expect(mcp.report.failed).toMatchObject([{ error: { code: "MCP_CONFIG_INVALID" } }]);
  });

  it("leads to one catalog entry a user, whatever the token", async () => {
    let token = "token-of-the-owner-1";
    const headers = () => ({ authorization: `Bearer ${token}` });
    await (await opened(headers, { cache: {} })).close();
    users = new Map([["token-of-the-owner-2", "owner"]]);
    token = "token-of-the-owner-2";
    await using mcp = await opened(headers, { cache: {}, startup: { lazy: true } });
    expect(mcp.tools()).toMatchObject([{ origin: "cache" }]);
  });
});

it("sessions of a resolver of one's own are opened with new values, too", async () => {
  let token = "token-of-the-owner-1";
  await using mcp = await openMcp({
    ...{ discover: false, cache: false, log: false },
    servers: { mail: { url } },
    retry: { delaysMs: [0] },
    resolve: async ({ name }) => {
      const headers = { authorization: `Bearer ${token}` };
      return { name, transport: "http", url, headers, secrets: [token] };
    },
  });
  users = new Map([["token-of-the-owner-2", "owner"]]);
  token = "token-of-the-owner-2";
  expect(await mcp.callTool(read)).toMatchObject({ content: [{ text: "owner" }] });
});
