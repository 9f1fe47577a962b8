import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { GuardedFetch } from "../../src/network/guarded-fetch.ts";
import { startServer } from "./http-server.ts";
import { openTrapListener } from "./trap-listener.ts";

useLeakCheck();
afterEach(() => vi.useRealTimers());

const open = (options = {}) => new GuardedFetch({ allowLoopback: true, ...options });

test("fetch delivers the request and its response, and sets the Host header itself", async () => {
  await using server = await startServer((_request, response) =>
    response
      .writeHead(201, { "x-answer": ["one", "two"], "content-type": "application/json" })
      .end('{"ok":1}'),
  );
  await using guarded = open();
  const answer = await guarded.fetch(new URL(`${server.origin}/token?a=b`), {
    method: "POST",
    headers: { authorization: "Basic YQ==", host: "other.example" },
    body: new URLSearchParams({ grant_type: "refresh_token" }),
  });
  expect(answer).toBeInstanceOf(Response);
  expect([answer.status, answer.headers.get("x-answer"), await answer.json()]).toEqual([
    201,
    "one, two",
    { ok: 1 },
  ]);
  expect(server.received).toEqual([
    expect.objectContaining({ method: "POST", path: "/token?a=b", body: "grant_type=refresh_token" }),
  ]);
  expect(server.received[0]?.headers).toMatchObject({
    host: new URL(server.origin).host,
    authorization: "Basic YQ==",
    "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
    "content-length": "24",
  });
});

test.each([204, 205, 304])("fetch accepts a %i response without a body", async (status) => {
  await using server = await startServer((_request, response) => response.writeHead(status).end());
  await using guarded = open();
  expect((await guarded.fetch(server.origin)).status).toBe(status);
});

test("no request uses a connection that the server may have closed meanwhile", async () => {
  const sockets = new Set<unknown>();
  await using server = await startServer((request, response) => {
    sockets.add(request.socket);
    if (request.url === "/moved") response.writeHead(302, { location: "/" }).end("moved");
    else response.end("here");
  });
  await using guarded = open();
  for (const path of ["/", "/moved", "/"])
    expect((await guarded.fetch(server.origin + path)).status).toBe(200);
  expect(server.received.map(({ headers }) => headers.connection)).toEqual(Array(4).fill("close"));
  expect(sockets.size).toBe(4);
});

test("fetch works detached from its object", async () => {
  await using server = await startServer((_request, response) => response.end("here"));
  await using guarded = open();
  const { fetch } = guarded;
  expect(await (await fetch(server.origin)).text()).toBe("here");
});

describe("a response body", () => {
  const LIMIT = 10_000;

  test("is read up to the limit and refused one byte above it", async () => {
    await using server = await startServer((request, response) => {
      const length = Number(request.url?.slice(1));
      response.writeHead(200, { "content-length": length }).end(Buffer.alloc(length));
    });
    await using guarded = open({ maxResponseBytes: LIMIT });
    const whole = await guarded.fetch(`${server.origin}/${LIMIT}`);
    expect((await whole.arrayBuffer()).byteLength).toBe(LIMIT);
    await expect(guarded.fetch(`${server.origin}/${LIMIT + 1}`)).rejects.toMatchObject({
      code: "MCP_LIMIT_EXCEEDED",
    });
  });

  test("without end is refused at the limit, and its connection is closed", async () => {
    const ended = Promise.withResolvers<void>();
    await using server = await startServer((_request, response) => {
      response.on("close", ended.resolve);
      pourEndlessly(response);
    });
    await using guarded = open({ maxResponseBytes: LIMIT });
    await expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "MCP_LIMIT_EXCEEDED" });
    await ended.promise;
  });

  test("that is compressed is refused, and identity is requested", async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1_000_000))),
    );
    await using guarded = open();
    await expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "MCP_PROTOCOL_VIOLATED" });
    expect(server.received[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test.each([300, 404, 503])("that is compressed is left unread for status %d", async (status) => {
    await using server = await startServer((_request, response) =>
      response.writeHead(status, { "content-encoding": "gzip" }).end(gzipSync("<h1>no</h1>")),
    );
    await using guarded = open();
    const answer = await guarded.fetch(server.origin);
    expect([answer.status, answer.url, await answer.text()]).toEqual([status, `${server.origin}/`, ""]);
  });

  test.each([
    ["in one piece", false],
    ["piece by piece", true],
  ])("that is short and compressed raises no uncaught exception, sent %s", async (_how, isCut) => {
    const body = gzipSync("{}");
    await using server = await startServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      if (isCut) response.write(body.subarray(0, 5));
      response.end(isCut ? body.subarray(5) : body);
    });
    // An error event without a listener becomes an uncaught exception and ends the process.
    const onUncaught = vi.fn();
    process.on("uncaughtException", onUncaught);
    onTestFinished(() => void process.off("uncaughtException", onUncaught));
    await using guarded = open();
    for (const _ of [1, 2, 3]) {
      await expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "MCP_PROTOCOL_VIOLATED" });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(onUncaught).not.toHaveBeenCalled();
  });

  test("of a redirect is not read", async () => {
    await using server = await startServer((request, response) => {
      if (request.url === "/end") response.end("{}");
      else pourEndlessly(response.writeHead(302, { location: "/end" }));
    });
    await using guarded = open();
    expect((await guarded.fetch(server.origin)).status).toBe(200);
  });
});

describe("a slow server", () => {
  test.each([
    ["never begins to answer", () => {}],
    ["stops in the middle of the answer", (response: ServerResponse) => response.write("{")],
  ])("that %s times out after timeoutMs", async (_what, answer) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const arrived = Promise.withResolvers<void>();
    await using server = await startServer((_request, response) => {
      answer(response);
      arrived.resolve();
    });
    await using guarded = open({ timeoutMs: 5_000 });
    const asked = guarded.fetch(`${server.origin}/slow?token=hidden`);
    const outcome = expect(asked).rejects.toMatchObject({
      code: "MCP_CONNECT_TIMEOUT",
      message: `${server.origin}/slow?… did not answer completely within 5000 ms.`,
    });
    await arrived.promise;
    vi.advanceTimersByTime(5_000);
    await outcome;
  });

  test("whose name lookup hangs times out after connectTimeoutMs", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = Promise.withResolvers<void>();
    const lookup = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    await using guarded = new GuardedFetch({ lookup, connectTimeoutMs: 1_000 });
    const outcome = expect(guarded.fetch("https://slow.example/")).rejects.toMatchObject({
      code: "MCP_CONNECT_TIMEOUT",
    });
    await asked.promise;
    vi.advanceTimersByTime(1_000);
    await outcome;
  });
});

test("aborting the signal ends the request and closes its connection", async () => {
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  await using server = await startServer((_request, response) => {
    response.on("close", ended.resolve);
    arrived.resolve();
  });
  await using guarded = open();
  const giveUp = new AbortController();
  const outcome = expect(guarded.fetch(server.origin, { signal: giveUp.signal })).rejects.toMatchObject({
    code: "MCP_ABORTED",
  });
  await arrived.promise;
  giveUp.abort();
  await outcome;
  await ended.promise;
  await expect(guarded.fetch(server.origin, { signal: giveUp.signal })).rejects.toMatchObject({
    code: "MCP_ABORTED",
  });
  expect(server.received).toHaveLength(1);
});

test("close ends running requests and refuses new ones", async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await startServer(() => arrived.resolve());
  const guarded = open();
  const outcome = expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "MCP_CLOSED" });
  await arrived.promise;
  await Promise.all([guarded.close(), guarded.close()]);
  await outcome;
  await expect(guarded.fetch(server.origin)).rejects.toMatchObject({ code: "MCP_CLOSED" });
  expect(server.received).toHaveLength(1);
});

test("a closed port fails with MCP_CONNECT_FAILED and ECONNREFUSED", async () => {
  const { port, ...trap } = await openTrapListener();
  await trap[Symbol.asyncDispose]();
  await using guarded = open();
  await expect(guarded.fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
    message: `The request to http://127.0.0.1:${port}/ failed (ECONNREFUSED).`,
  });
});

describe("TLS", () => {
  const pem = readFileSync(new URL("./fixtures/login-example.pem", import.meta.url), "utf8");

  async function startTlsServer() {
    let requests = 0;
    const server = createServer({ key: pem, cert: pem }, (_request, response) => {
      requests += 1;
      response.end("secure");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    });
    return { port: (server.address() as AddressInfo).port, requests: () => requests };
  }
  const lookup = async () => [{ address: "127.0.0.1", family: 4 as const }];
  const trustedHosts = ["login.example", "other.example"];

  test("refuses a self-signed certificate before sending the request", async () => {
    const { port, requests } = await startTlsServer();
    await using guarded = new GuardedFetch({ lookup, trustedHosts });
    await expect(guarded.fetch(`https://login.example:${port}/`)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      message: expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT"),
    });
    expect(requests()).toBe(0);
  });

  test("accepts a trusted certificate only for the requested host name", async () => {
    const before = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, pem.slice(pem.indexOf("-----BEGIN CERT"))]);
    const { port, requests } = await startTlsServer();
    await using guarded = new GuardedFetch({ lookup, trustedHosts });
    const answer = await guarded.fetch(`https://login.example:${port}/`);
    expect(await answer.text()).toBe("secure");
    await expect(guarded.fetch(`https://other.example:${port}/`)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
    });
    expect(requests()).toBe(1);
  });
});

/** Writes as much as the other side takes, until it disconnects. */
function pourEndlessly(response: ServerResponse): void {
  const pour = () => {
    while (!response.destroyed && response.write(Buffer.alloc(16_384)));
  };
  response.on("drain", pour);
  pour();
}
