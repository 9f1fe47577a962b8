import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, request as httpRequest, type Server } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { startHttpFaultServer } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { connectTo, ECHO, open, startRemote } from "./remote.ts";

const pem = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), "utf8");
const ca = pem("ca");

const RESULTS: Readonly<Record<string, object>> = {
  "tools/call": { content: [] },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: { name: "secure", version: "1" },
  },
};

/** A server behind TLS that speaks HTTP/2 with whoever can. */
async function startSecure(options: { requestCert?: boolean } = {}) {
  const seen: { readonly version: string; readonly client: string | undefined }[] = [];
  const tls = { key: pem("server-key"), cert: pem("server"), ca, allowHTTP1: true, ...options };
  const server = createSecureServer(tls, async (request, response) => {
    const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
    const client = socket.getPeerCertificate().subject?.CN;
    seen.push({ version: request.httpVersion, client: Array.isArray(client) ? client[0] : client });
    const text = Buffer.concat(await request.toArray()).toString();
    const message = text ? JSON.parse(text) : {};
    const result = RESULTS[message.method];
    if (request.method !== "POST") response.writeHead(405).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else {
      const outcome = result ? { result } : { error: { code: -32601, message: "Method not found" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
    }
  });
  return { seen, url: `https://localhost:${await listen(server)}/mcp` };
}

async function listen(server: Server | Http2SecureServer): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => sockets.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

describe("a server behind TLS", () => {
  test("is reached by HTTP/2 where it offers that, with an authority of the host's own", async () => {
    const server = await startSecure();
    const session = await connectTo(server, { http: { tls: { ca } } });
    await Promise.all(Array.from({ length: 20 }, () => session.request("tools/call", ECHO)));
    expect(new Set(server.seen.map(({ version }) => version))).toEqual(new Set(["2.0"]));
  });

  test("[T49] of an unknown authority is refused, whatever else is configured", async () => {
    const { url } = await startSecure();
    const error = await failureOf(connectTo({ url }, { headers: { rejectUnauthorized: "false" } }));
    expect(error.code).toBe("MCP_CONNECT_FAILED");
  });

  test("is shown the client's certificate where the host has one", async () => {
    const server = await startSecure({ requestCert: true });
    const tls = { ca, cert: pem("client"), key: pem("client-key") };
    await connectTo(server, { http: { tls } });
    expect(server.seen[0]?.client).toBe("client");
  });
});

/** A proxy that notes what it is asked for, and sends all of it to one server. */
async function startProxy(target: string) {
  const asked: string[] = [];
  const { hostname, port, pathname } = new URL(target);
  const server = createHttpServer((request, response) => {
    asked.push(String(request.url));
    const options = { hostname, port, path: pathname, method: request.method, headers: request.headers };
    const onward = httpRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  return { asked, url: `http://127.0.0.1:${await listen(server)}` };
}

describe("a proxy of the environment", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("is used for other machines", async () => {
    const remote = await startRemote();
    const proxy = await startProxy(remote.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "");
    const session = await connectTo({ url: "http://mcp.invalid/mcp" });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(proxy.asked[0]).toBe("http://mcp.invalid/mcp");
  });

  test("is passed by for hosts of NO_PROXY, for this machine, and where the host does not want it", async () => {
    const remote = await startRemote();
    const proxy = await startProxy(remote.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "mcp.invalid");
    await connectTo(remote);
    expect((await failureOf(connectTo({ url: "http://mcp.invalid/mcp" }))).code).toBe("MCP_CONNECT_FAILED");
    const unwanted = connectTo({ url: "http://other.invalid/mcp" }, { http: { proxy: false } });
    expect((await failureOf(unwanted)).code).toBe("MCP_CONNECT_FAILED");
    expect(proxy.asked).toEqual([]);
  });
});

describe("a `fetch` of the host's own", () => {
  test.each(["json", "sse"] as const)(
    "[X18] makes every request, and asks for no redirect to be followed: %s",
    async (answer) => {
      const fetch = vi.fn(globalThis.fetch);
      const { remote, session } = await open({ answer }, { http: { fetch } });
      expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
      await session.close();
      expect(fetch.mock.calls.length).toBe(remote.requests.length);
      for (const [, init] of fetch.mock.calls) expect(init?.redirect).toBe("manual");
    },
  );

  test("that fails is told from one that was answered", async () => {
    const fetch = vi.fn(globalThis.fetch);
    const { session } = await open({}, { http: { fetch } });
    fetch.mockRejectedValueOnce(new TypeError("no network"));
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ outcome: "unknown" });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("[T84] is held to the limit as well", async () => {
    const changes = { http: { fetch: globalThis.fetch }, limits: { maxMessageBytes: 100_000 } };
    const { session } = await open({ on: { "tools/call": { answerBytes: 1_000_000 } } }, changes);
    expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_LIMIT_EXCEEDED");
  });
});

test("sessions with the same server share connections, and the last one ends them", async () => {
  const remote = await startHttpFaultServer({ sessionless: true, on: { GET: { reply: { status: 405 } } } });
  atEnd(() => remote.close());
  const { createConnector } = await import("../../src/index.ts");
  const connect = createConnector();
  const server = { transport: "http", name: "remote", url: remote.url, headers: {}, secrets: [] } as const;
  const openOne = () => connect(server, { signal: new AbortController().signal, log: () => {} });
  for (let round = 0; round < 5; round += 1) {
    const [first, second] = [await openOne(), await openOne()];
    await first.close();
    await second.request("tools/call", ECHO);
    await second.close();
  }
  expect(remote.connectionCount).toBeLessThanOrEqual(15);
});
