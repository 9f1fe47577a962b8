import type { AuthPort } from "@jackfield/mcp-core";
import { startHttpFaultServer } from "@jackfield/test-kit";
import { describe, expect, test, vi } from "vitest";
import type { HttpOptions } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";
import { connectTo, ECHO, open } from "./remote.ts";
import { pem, startSecure } from "./secure-server.ts";

const ca = pem("ca");

describe("a server behind TLS", () => {
  test("is trusted through the host's CA and reached over HTTP/2", async () => {
    const server = await startSecure();
    const session = await connectTo(server, { http: { tls: { ca } } });
    await Promise.all(Array.from({ length: 20 }, () => session.request("tools/call", ECHO)));
    expect(new Set(server.seen.map(({ version }) => version))).toEqual(new Set(["2.0"]));
  });

  test("[T49] with a certificate of an unknown CA is refused, whatever the entry's headers say", async () => {
    const { url } = await startSecure();
    const error = await failureOf(connectTo({ url }, { headers: { rejectUnauthorized: "false" } }));
    expect(error.code).toBe("MCP_CONNECT_FAILED");
  });

  test("receives the client certificate that the host configures", async () => {
    const server = await startSecure({ requestCert: true });
    const tls = { ca, cert: pem("client"), key: pem("client-key") };
    await connectTo(server, { http: { tls } });
    expect(server.seen[0]?.client).toBe("client");
  });
});

describe("the host's own `fetch`", () => {
  test.each(["json", "sse"] as const)(
    "[X18] makes every request without following redirects: %s",
    async (answer) => {
      const fetch = vi.fn(globalThis.fetch);
      const { remote, session } = await open({ answer }, { http: { fetch } });
      expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
      await session.close();
      expect(fetch.mock.calls.length).toBe(remote.requests.length);
      for (const [, init] of fetch.mock.calls) expect(init?.redirect).toBe("manual");
    },
  );

  test("[X18] makes every HTTP+SSE request, with the headers of the entry and of the auth port", async () => {
    const legacy = { answer: "legacy-sse" } as const;
    const fetch = vi.fn(globalThis.fetch);
    let token = "first";
    const auth: AuthPort = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      onChallenge: async () => {
        token = "second";
        return "retry";
      },
    };
    const changes = {
      transport: "sse",
      http: { fetch },
      auth,
      headers: { "X-Api-Key": "key-123456" },
    } as const;
    const { remote, session } = await open({ ...legacy, authorization: ["Bearer second"] }, changes);
    token = "outdated";
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(fetch.mock.calls.length).toBe(remote.requests.length);
    for (const [, init] of fetch.mock.calls) expect(init?.redirect).toBe("manual");
    const sent = remote.requests.map(({ method, body, headers }) => [
      body?.method ?? method,
      headers.authorization,
    ]);
    expect(sent).toEqual([
      ["GET", "Bearer first"],
      ["GET", "Bearer second"],
      ["initialize", "Bearer second"],
      ["notifications/initialized", "Bearer second"],
      ["tools/call", "Bearer outdated"],
      ["tools/call", "Bearer second"],
    ]);
    for (const { headers } of remote.requests) expect(headers["x-api-key"]).toBe("key-123456");
  });

  test("leaves the outcome unknown when it rejects, and the next call works", async () => {
    const fetch = vi.fn(globalThis.fetch);
    const { session } = await open({}, { http: { fetch } });
    fetch.mockRejectedValueOnce(new TypeError("no network"));
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ outcome: "unknown" });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("may come from an async function, whose rejection fails the connection", async () => {
    const fetch = vi.fn(globalThis.fetch);
    const later = (give: () => Promise<object>) => ({ http: give as unknown as HttpOptions });
    const { session } = await open(
      {},
      later(async () => ({ fetch })),
    );
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(fetch).toHaveBeenCalled();
    const failing = open(
      {},
      later(async () => {
        throw new Error("no key");
      }),
    );
    expect(await failureOf(failing)).toMatchObject({ code: "MCP_CONNECT_FAILED" });
  });

  test("[T84] is subject to maxMessageBytes", async () => {
    const changes = { http: { fetch: globalThis.fetch }, limits: { maxMessageBytes: 100_000 } };
    const { session } = await open({ on: { "tools/call": { answerBytes: 1_000_000 } } }, changes);
    expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_LIMIT_EXCEEDED");
  });
});

test("sessions with one server share connections, and closing one leaves the other working", async () => {
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
