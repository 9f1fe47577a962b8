import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, request as sendRequest } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import type { NetworkOptions } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GuardedFetch } from "../src/network/guarded-fetch.ts";
import { remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();
afterEach(() => vi.unstubAllEnvs());

const KEYS = readFileSync(new URL("network/fixtures/login-example.pem", import.meta.url), "utf8");
const CERTIFICATE = KEYS.slice(KEYS.indexOf("-----BEGIN CERT"));
const OUTSIDE = "https://login.example";

async function listen<T extends Server>(server: T): Promise<T & AsyncDisposable & { readonly port: number }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(server, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      (server as unknown as { closeAllConnections(): void }).closeAllConnections();
      await once(server, "close");
    },
  });
}

/** A proxy that leads every name to one port of this machine, or refuses. */
async function startProxy(target: number, refusesWith?: string) {
  const asked: string[] = [];
  const server = createHttpServer().on("connect", (request, client) => {
    asked.push(String(request.url));
    client.on("error", () => {});
    if (refusesWith !== undefined) return void client.end(`HTTP/1.1 ${refusesWith}\r\n\r\n`);
    const onward = connect(target, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(onward).pipe(client);
    });
    onward.on("error", () => client.destroy());
    client.on("close", () => onward.destroy());
  });
  return Object.assign(await listen(server), { asked });
}

/** A scene whose servers are known outside as https://login.example, with a certificate of their own authority. */
async function openCompany(http?: NetworkOptions) {
  const scene = await openScene({ oauth: { http } });
  const front = createHttpsServer({ key: KEYS, cert: KEYS }, (request, response) => {
    const isResource = /^\/mcp|protected-resource/.test(request.url ?? "");
    const target = isResource ? scene.guarded.url : scene.authority.issuer;
    const { method, headers } = request;
    const onward = sendRequest(new URL(request.url ?? "/", target), { method: method ?? "GET", headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  const outside = await listen(front);
  scene.guard({ metadata: { resource: `${OUTSIDE}/mcp`, authorization_servers: [OUTSIDE] } });
  scene.authority.behave({
    metadata: {
      issuer: OUTSIDE,
      authorization_endpoint: `${scene.authority.issuer}/authorize`,
      token_endpoint: `${OUTSIDE}/token`,
      registration_endpoint: `${OUTSIDE}/register`,
    },
  });
  return {
    scene,
    port: outside.port,
    server: remoteServer(`${OUTSIDE}/mcp`),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
    },
  };
}

const useProxy = (port: number) => {
  vi.stubEnv("HTTPS_PROXY", `http://ada:proxy-123456@127.0.0.1:${port}`);
  vi.stubEnv("NO_PROXY", "");
};

describe("in a company whose only way out is a proxy", () => {
  it("a login and its renewals go through it, with the company's own authority", async () => {
    await using company = await openCompany({ tls: { ca: CERTIFICATE } });
    await using proxy = await startProxy(company.port);
    useProxy(proxy.port);
    const { oauth, clock } = company.scene;
    expect(await oauth.login(company.server)).toMatchObject({ issuer: OUTSIDE });
    const first = await oauth.headers(company.server);
    clock.now += 3_600_000;
    expect(await oauth.headers(company.server)).not.toEqual(first);
    expect(new Set(proxy.asked)).toEqual(new Set(["login.example:443"]));
  });

  it("the way of a runtime is taken, unless the logins have their own", async () => {
    await using company = await openCompany();
    await using proxy = await startProxy(company.port);
    useProxy(proxy.port);
    const { oauth } = company.scene;
    oauth.useNetwork?.(() => ({ tls: { ca: CERTIFICATE } }));
    oauth.useNetwork?.({});
    expect(await oauth.login(company.server)).toMatchObject({ issuer: OUTSIDE });
    const other = company.scene.again({ http: { proxy: false } });
    other.useNetwork?.({ tls: { ca: CERTIFICATE } });
    await expect(other.login(company.server)).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
  });

  it("an authority that nobody named is not trusted", async () => {
    await using company = await openCompany();
    await using proxy = await startProxy(company.port);
    useProxy(proxy.port);
    const login = company.scene.oauth.login(company.server);
    await expect(login).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
    expect(proxy.asked).not.toEqual([]);
    expect(company.scene.authority.requests).toEqual([]);
  });

  it.each(["407 Proxy Authentication Required", "502 Bad Gateway"])(
    "the error of a proxy that answers %s names it, without its password",
    async (refusesWith) => {
      await using company = await openCompany({ tls: { ca: CERTIFICATE } });
      await using proxy = await startProxy(company.port, refusesWith);
      useProxy(proxy.port);
      const error = await company.scene.oauth.login(company.server).catch((thrown: Error) => thrown);
      const words = `through the proxy http://127.0.0.1:${proxy.port} failed: the proxy answered HTTP ${refusesWith.slice(0, 3)}.`;
      expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", message: expect.stringContaining(words) });
      expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain("proxy-123456");
    },
  );

  it.each<[string, NetworkOptions, string]>([
    ["NO_PROXY lists the host", {}, "login.example"],
    ["`proxy` is false", { proxy: false }, ""],
  ])("it is not used if %s", async (_, http, exceptions) => {
    await using company = await openCompany(http);
    await using proxy = await startProxy(company.port);
    useProxy(proxy.port);
    vi.stubEnv("NO_PROXY", exceptions);
    await expect(company.scene.oauth.login(company.server)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      message: expect.not.stringContaining("through the proxy"),
    });
    expect(proxy.asked).toEqual([]);
  });

  it("a variable that names no proxy is named, and nothing is sent", async () => {
    await using company = await openCompany();
    vi.stubEnv("HTTPS_PROXY", "ftp://ada:proxy-123456@proxy.corp");
    vi.stubEnv("NO_PROXY", "");
    const error = await company.scene.oauth.login(company.server).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining("HTTPS_PROXY"),
    });
    expect(String(error)).not.toContain("proxy-123456");
  });
});

describe("[T27] behind a proxy", () => {
  it.each([
    ["https://10.1.2.3/token", undefined],
    ["https://inside.example/token", "10.1.2.3"],
    ["https://inside.example/token", "169.254.169.254"],
    ["https://inside.example/token", "127.0.0.1"],
  ])("%s (%s) is refused before the proxy is asked", async (url, address) => {
    await using proxy = await startProxy(1);
    useProxy(proxy.port);
    const lookup = async () => (address === undefined ? [] : [{ address, family: 4 as const }]);
    await using guarded = new GuardedFetch({ lookup });
    await expect(guarded.fetch(url)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(proxy.asked).toEqual([]);
  });

  it("this machine is reached without it", async () => {
    await using here = await listen(createHttpServer((_, response) => response.end("here")));
    await using proxy = await startProxy(1);
    useProxy(proxy.port);
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${proxy.port}`);
    await using guarded = new GuardedFetch({ allowLoopback: true });
    expect(await (await guarded.fetch(`http://127.0.0.1:${here.port}/`)).text()).toBe("here");
    expect(proxy.asked).toEqual([]);
  });
});

it("the client's certificate goes to the server's own origin alone", async () => {
  const clients: boolean[] = [];
  const mutual = createHttpsServer(
    { key: KEYS, cert: KEYS, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as import("node:tls").TLSSocket).getPeerCertificate();
      clients.push(subject !== undefined);
      response.end();
    },
  );
  await using own = await listen(mutual);
  await using other = await listen(
    createHttpsServer(
      { key: KEYS, cert: KEYS, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        mutual.emit("request", request, response);
      },
    ),
  );
  const lookup = async () => [{ address: "127.0.0.1", family: 4 as const }];
  await using guarded = new GuardedFetch({
    lookup,
    trustedHosts: ["login.example"],
    ownOrigin: `${OUTSIDE}:${own.port}`,
    tls: { ca: CERTIFICATE, cert: CERTIFICATE, key: KEYS },
  });
  await guarded.fetch(`${OUTSIDE}:${own.port}/`);
  await guarded.fetch(`${OUTSIDE}:${other.port}/`);
  expect(clients).toEqual([true, false]);
});
