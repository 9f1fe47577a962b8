import { createServer as createHttpServer, request as httpRequest } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect as connectSocket } from "node:net";
import { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../connecting.ts";
import { listen } from "./listening.ts";
import { connectTo, ECHO, startRemote } from "./remote.ts";
import { pem, startSecure } from "./secure-server.ts";

afterEach(() => vi.unstubAllEnvs());

describe("a proxy from the environment", () => {
  /** Starts a proxy that records the requested URLs and forwards every request to one server. */
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

  test("is used for other hosts", async () => {
    const remote = await startRemote();
    const proxy = await startProxy(remote.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "");
    const session = await connectTo({ url: "http://mcp.invalid/mcp" });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(proxy.asked[0]).toBe("http://mcp.invalid/mcp");
  });

  test("is bypassed for NO_PROXY hosts, for the local machine and with `proxy: false`", async () => {
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

test.each([407, 502, 504])("a proxy that answers %d in place of the server is named", async (status) => {
  const proxy = createHttpServer((_, response) => response.writeHead(status).end());
  const port = await listen(proxy);
  vi.stubEnv("HTTP_PROXY", `http://ada:proxy-123456@127.0.0.1:${port}`);
  vi.stubEnv("NO_PROXY", "");
  const error = await failureOf(connectTo({ url: "http://mcp.invalid/mcp" }));
  expect(error.code).toBe("MCP_CONNECT_FAILED");
  expect(error.message).toContain(`through the proxy http://127.0.0.1:${port}, which`);
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("proxy-123456");
});

describe("an invalid proxy variable", () => {
  test("fails only the servers that need it, without showing its value", async () => {
    vi.stubEnv("HTTP_PROXY", "ftp://ada:proxy-123456@proxy.corp");
    vi.stubEnv("NO_PROXY", "");
    const error = await failureOf(connectTo({ url: "http://mcp.invalid/mcp" }));
    expect(error.code).toBe("MCP_CONFIG_INVALID");
    expect(error.message).toContain("HTTP_PROXY");
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("proxy-123456");
    const session = await connectTo(await startRemote());
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });
});

describe("a proxy from the environment in front of a TLS server", () => {
  /** Starts a proxy that records CONNECT requests and tunnelled bytes, and connects to one local port unless it refuses. */
  async function startTunnel(port: number, options: { refusesWith?: string; isSecure?: boolean } = {}) {
    const asked: { readonly host: string | undefined; readonly credentials: string | undefined }[] = [];
    const passed: Buffer[] = [];
    const clients: (string | undefined)[] = [];
    const certificate = { key: pem("server-key"), cert: pem("server"), ca: pem("ca") };
    const keys = { ...certificate, requestCert: true, rejectUnauthorized: false };
    const server = options.isSecure ? createHttpsServer(keys) : createHttpServer();
    server.on("connect", (request, client, head) => {
      asked.push({ host: request.url, credentials: request.headers["proxy-authorization"] });
      if (client instanceof TLSSocket) clients.push([client.getPeerCertificate().subject?.CN].flat()[0]);
      if (options.refusesWith !== undefined) {
        client.end(`HTTP/1.1 ${options.refusesWith}\r\n\r\n`);
        return;
      }
      const onward = connectSocket(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        onward.write(head);
        client.on("data", (bytes: Buffer) => passed.push(bytes));
        client.pipe(onward).pipe(client);
      });
      onward.on("error", () => client.destroy());
      client.on("error", () => onward.destroy()).on("close", () => onward.destroy());
    });
    return { asked, passed, clients, port: await listen(server) };
  }

  const URL_BEHIND = "https://mcp.invalid/mcp";
  const tls = { ca: pem("other-machine") };
  const headers = { "X-Api-Key": "key-123456" };

  test("is asked for a CONNECT tunnel, in which it sees no plain text", async () => {
    const server = await startSecure({ identity: "other-machine" });
    const proxy = await startTunnel(server.port);
    vi.stubEnv("HTTPS_PROXY", `http://ada:proxy-123456@127.0.0.1:${proxy.port}`);
    vi.stubEnv("NO_PROXY", "");
    const session = await connectTo({ url: URL_BEHIND }, { headers, http: { tls } });
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
    const credentials = `Basic ${Buffer.from("ada:proxy-123456").toString("base64")}`;
    expect(proxy.asked[0]).toEqual({ host: "mcp.invalid:443", credentials });
    expect(server.seen.every(({ apiKey }) => apiKey === "key-123456")).toBe(true);
    expect(Buffer.concat(proxy.passed).length).toBeGreaterThan(1000);
    expect(Buffer.concat(proxy.passed).includes("key-123456")).toBe(false);
  });

  test("may use TLS itself, and receives no client certificate", async () => {
    const server = await startSecure({ identity: "other-machine", requestCert: true });
    const proxy = await startTunnel(server.port, { isSecure: true });
    vi.stubEnv("HTTPS_PROXY", `https://localhost:${proxy.port}`);
    vi.stubEnv("NO_PROXY", "");
    const keys = { ca: [pem("ca"), pem("other-machine")], cert: pem("client"), key: pem("client-key") };
    const session = await connectTo({ url: URL_BEHIND }, { http: { tls: keys } });
    expect((await session.request("tools/call", ECHO)).content).toEqual([]);
    expect(server.seen[0]?.client).toBe("client");
    expect(proxy.clients).toEqual(proxy.asked.map(() => undefined));
  });

  test("[T49] does not make the certificate of an unknown CA acceptable", async () => {
    const server = await startSecure({ identity: "other-machine" });
    const proxy = await startTunnel(server.port);
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("NO_PROXY", "");
    const error = await failureOf(connectTo({ url: URL_BEHIND }, { headers }));
    expect(error.code).toBe("MCP_CONNECT_FAILED");
    expect(proxy.asked).not.toEqual([]);
    expect(server.seen).toEqual([]);
  });

  test.each(["407 Proxy Authentication Required", "502 Bad Gateway"])(
    "that refuses with %s fails the connection without showing its password",
    async (refusesWith) => {
      const proxy = await startTunnel(1, { refusesWith });
      vi.stubEnv("HTTPS_PROXY", `http://ada:proxy-123456@127.0.0.1:${proxy.port}`);
      vi.stubEnv("NO_PROXY", "");
      const error = await failureOf(connectTo({ url: URL_BEHIND }, { headers, http: { tls } }));
      expect(error.code).toBe("MCP_CONNECT_FAILED");
      expect(error.message).toContain(`through the proxy http://127.0.0.1:${proxy.port}, which`);
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain("proxy-123456");
    },
  );

  test("is bypassed for NO_PROXY hosts, for the local machine and with `proxy: false`", async () => {
    const server = await startSecure();
    const proxy = await startTunnel(server.port);
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("NO_PROXY", ".invalid");
    await connectTo(server, { http: { tls: { ca: pem("ca") } } });
    expect(server.seen.length).toBeGreaterThan(0);
    expect((await failureOf(connectTo({ url: URL_BEHIND }))).code).toBe("MCP_CONNECT_FAILED");
    vi.stubEnv("NO_PROXY", "");
    const unwanted = connectTo({ url: URL_BEHIND }, { http: { tls, proxy: false } });
    expect((await failureOf(unwanted)).code).toBe("MCP_CONNECT_FAILED");
    expect(proxy.asked).toEqual([]);
  });
});
