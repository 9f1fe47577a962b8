import { createDeadline, DEFAULT_LIMITS, type PriorHandshake, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createConnector } from "../../src/connector.ts";
import { Connection } from "../../src/protocol/connection.ts";
import { firstApproach, negotiate } from "../../src/protocol/era.ts";
import type { Transport } from "../../src/transport.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";
import { expectGone } from "../processes.ts";
import { received, type ScriptedMessage, type ScriptedServer, scriptedServer } from "../scripted-server.ts";

const HOUR_MS = 60 * 60 * 1000;
const never = new AbortController().signal;

/** The methods of the requests a server received. */
const requestsOf = (server: ScriptedServer) =>
  server
    .received()
    .filter((message: ScriptedMessage) => message.id !== undefined)
    .map(({ method }) => method);

const modernPrior: PriorHandshake = {
  era: "modern",
  at: 1000,
  discover: {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
    resultType: "complete",
  },
};

describe("the first approach", () => {
  const now = 100 * HOUR_MS;
  test.each([
    ["probes an unknown server", undefined, "probe"],
    ["adopts a known modern server", { ...modernPrior, at: 0 }, "adopt"],
    ["trusts a legacy verdict of 23 hours ago", { era: "legacy", at: now - 23 * HOUR_MS }, "legacy"],
    ["probes after a legacy verdict of 24 hours ago", { era: "legacy", at: now - 24 * HOUR_MS }, "probe"],
    ["trusts a legacy verdict 4 minutes in the future", { era: "legacy", at: now + 4 * 60_000 }, "legacy"],
    [
      "probes after a legacy verdict a year in the future",
      { era: "legacy", at: now + 365 * 24 * HOUR_MS },
      "probe",
    ],
  ] as const)("%s", (_, prior, kind) => {
    expect(firstApproach(prior, now).kind).toBe(kind);
  });
});

describe.concurrent("a server whose entry names the era", () => {
  test("is not probed if it is legacy, not even if it is remembered as modern", async () => {
    for (const prior of [undefined, modernPrior]) {
      const server = scriptedServer(undefined, { limits: { era: "legacy" } });
      const { handshake } = await connect(server, { prior });
      expect(handshake.era).toBe("legacy");
      expect(requestsOf(server)).toEqual(["initialize"]);
    }
  });

  test("is not initialized if it is modern", async () => {
    const server = scriptedServer(undefined, { limits: { era: "modern" } });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", rpcCode: -32601 });
    expect(requestsOf(server)).toEqual(["server/discover"]);
    expect(server.starts()).toHaveLength(1);
    const modern = scriptedServer(undefined, { isModern: true, limits: { era: "modern" } });
    expect((await connect(modern, { prior: { era: "legacy", at: Date.now() } })).handshake.era).toBe(
      "modern",
    );
  });

  test("may be behind HTTP+SSE all the same, which is of the older era", async () => {
    const server = await startHttpServer(() => false, { limits: { era: "legacy" } });
    expect((await connect(server)).handshake.era).toBe("legacy");
    expect(server.log.map(({ what }) => what)).not.toContain("POST server/discover");
  });
});

describe.concurrent("an unknown server over stdio", () => {
  test("[threat T22] is probed and initialized in one process if it is legacy", async () => {
    const server = scriptedServer();
    const before = Date.now();
    const { handshake } = await connect(server);
    expect(handshake).toMatchObject({
      era: "legacy",
      protocolVersion: "2025-11-25",
      serverInfo: { name: "scripted", version: "1.2.3" },
      instructions: "Be kind.",
      capabilities: { tools: { listChanged: true } },
    });
    expect(handshake.prior.at).toBeGreaterThanOrEqual(before);
    expect(server.starts()).toHaveLength(1);
    expect(requestsOf(server)).toEqual(["server/discover", "initialize"]);
  });

  test("[threat T22] is started once and asked once if it is modern", async () => {
    const server = scriptedServer(undefined, { isModern: true, capabilities: { tools: {} } });
    const { handshake } = await connect(server);
    expect(handshake).toMatchObject({
      era: "modern",
      protocolVersion: "2026-07-28",
      serverInfo: { name: "scripted" },
      instructions: "Be modern.",
      prior: { era: "modern", discover: { supportedVersions: ["2026-07-28"] } },
    });
    expect(server.starts()).toHaveLength(1);
    expect(requestsOf(server)).toEqual(["server/discover"]);
  });

  test("is asked once more if it refuses the version and names the same", async () => {
    const server = scriptedServer(
      (message, { refuse }) => {
        const state = globalThis as { hasRefused?: boolean };
        if (message.method !== "server/discover" || state.hasRefused) return undefined;
        state.hasRefused = true;
        refuse(-32022, "Unsupported protocol version", { supported: ["2026-07-28"] });
        return true;
      },
      { isModern: true },
    );
    expect((await connect(server)).handshake.era).toBe("modern");
    expect(requestsOf(server)).toEqual(["server/discover", "server/discover"]);
  });

  test("[threat T22] is started once more, as legacy, if the probe kills it", async () => {
    const server = scriptedServer((message, { process }) => {
      if (message.method === "server/discover") process.exit(1);
      return undefined;
    });
    expect((await connect(server)).handshake.era).toBe("legacy");
    expect(server.starts()).toHaveLength(2);
    expect(requestsOf(server)).toEqual(["server/discover", "initialize"]);
    expectGone(server.starts().slice(0, 1));
  });

  test.each([
    ["refuses initialize after the probe", "refuse"],
    ["closes its output after the probe", "hang up"],
  ])("[threat T22] is started once more, as legacy, if it %s", async (_, how) => {
    const server = scriptedServer(
      (message, { refuse, process }) => {
        const state = globalThis as { isConfused?: boolean };
        if (message.method === "server/discover") {
          state.isConfused = true;
          if (process.env.HOW === "hang up") process.stdout.destroy();
          return false;
        }
        if (message.method === "initialize" && state.isConfused) refuse(-32002, "Initialize first");
        return message.method === "initialize" && state.isConfused;
      },
      { env: { HOW: how } },
    );
    expect((await connect(server)).handshake.era).toBe("legacy");
    expect(server.starts()).toHaveLength(2);
    expect(requestsOf(server).at(-1)).toBe("initialize");
    expectGone(server.starts().slice(0, 1));
  });

  test("is started at most twice if it always refuses initialize", async () => {
    const server = scriptedServer((message, { refuse }) => {
      if (message.method === "initialize") refuse(-32000, "No key was given");
      return message.method === "initialize";
    });
    expect((await failToConnect(server)).message).toContain("No key was given");
    expect(server.starts()).toHaveLength(2);
  });

  test("is started at most twice if it dies at every request", async () => {
    const server = scriptedServer((message, { process }) =>
      message.method === "started" ? undefined : process.exit(1),
    );
    expect((await failToConnect(server)).code).toBe("MCP_SERVER_EXITED");
    expect(server.starts()).toHaveLength(2);
    expectGone(server.starts());
  });

  test("is started once by later attempts of a connector that saw it die whatever came first", async () => {
    const server = scriptedServer((message, { process }) =>
      message.method === "started" ? undefined : process.exit(1),
    );
    const connector = createConnector();
    const attempt = () => failureOf(connector(server, { signal: never, log: silentLogger }));
    expect((await attempt()).code).toBe("MCP_SERVER_EXITED");
    expect((await attempt()).code).toBe("MCP_SERVER_EXITED");
    expect(requestsOf(server)).toEqual(["server/discover", "initialize", "initialize"]);
    expect(server.starts()).toHaveLength(3);
  });
});

test("a server that ignores the probe is initialized after the probe's 3 seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const server = scriptedServer((message) => message.method === "server/discover");
    const connecting = connect(server);
    await received(server, "server/discover");
    vi.advanceTimersByTime(2999);
    expect(requestsOf(server)).toEqual(["server/discover"]);
    vi.advanceTimersByTime(1);
    expect((await connecting).handshake.era).toBe("legacy");
    expect(requestsOf(server)).toEqual(["server/discover", "initialize"]);
    expect(server.starts()).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

describe.concurrent("a known server", () => {
  test("is adopted without a round trip if it is modern", async () => {
    const server = scriptedServer(() => true, { isModern: true });
    const session = await connect(server, { prior: modernPrior });
    expect(session.handshake).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
    await session.close();
    expect(requestsOf(server)).toEqual([]);
  });

  test("is adopted without a request if it is modern, over HTTP too", async () => {
    const server = await startHttpServer();
    const session = await connect(server, { prior: modernPrior });
    expect(session.handshake.era).toBe("modern");
    expect(server.log).toEqual([]);
  });

  test("stays modern if its first request, for resource templates, is not supported", async () => {
    const server = scriptedServer(undefined, { isModern: true });
    const discover = { ...modernPrior.discover, capabilities: { tools: {}, resources: {} } };
    const session = await connect(server, { prior: { ...modernPrior, discover } });
    const { signal } = new AbortController();
    expect(await session.list("resourceTemplates", { signal })).toEqual({ items: [] });
    expect((await session.list("tools", { signal })).items).toHaveLength(1);
    expect(server.starts()).toHaveLength(1);
  });

  test("gets subscriptions/listen only after the first call if it is modern", async () => {
    const server = scriptedServer(undefined, { isModern: true });
    const discover = { ...modernPrior.discover, capabilities: { tools: { listChanged: true } } };
    const session = await connect(server, { prior: { ...modernPrior, discover } });
    expect(requestsOf(server)).toEqual([]);
    await session.request("tools/call", { name: "echo" });
    await received(server, "subscriptions/listen");
    expect(requestsOf(server)).toEqual(["tools/call", "subscriptions/listen"]);
    expect(server.starts()).toHaveLength(1);
  });

  test("is initialized without a probe if it is legacy; the verdict keeps its date", async () => {
    const server = scriptedServer();
    const prior: PriorHandshake = { era: "legacy", at: Date.now() - HOUR_MS };
    const { handshake } = await connect(server, { prior });
    expect(requestsOf(server)).toEqual(["initialize"]);
    expect(handshake.prior).toEqual(prior);
  });

  test("is adopted with the prior from its first handshake", async () => {
    const server = scriptedServer(undefined, { isModern: true, capabilities: { tools: {} } });
    const first = await connect(server);
    const prior = JSON.parse(JSON.stringify(first.handshake.prior));
    const second = await connect(server, { prior });
    expect(second.handshake).toEqual(first.handshake);
    expect((await second.list("tools", { signal: never })).items).toHaveLength(1);
    expect(requestsOf(server)).toEqual(["server/discover", "tools/list"]);
  });
});

describe.concurrent("a remembered handshake", () => {
  test("without a common version falls back to probing", async () => {
    const server = scriptedServer();
    const prior: PriorHandshake = {
      ...modernPrior,
      discover: { ...modernPrior.discover, supportedVersions: ["2199-01-01"] },
    };
    const { handshake } = await connect(server, { prior });
    expect(handshake).toMatchObject({ era: "legacy", prior: { era: "legacy" } });
    expect(requestsOf(server)).toEqual(["server/discover", "initialize"]);
    expect(server.starts()).toHaveLength(1);
  });

  test("with invalid contents falls back to a new handshake", async () => {
    const { handshake } = await connect(scriptedServer(), {
      prior: { era: "modern", at: 0, discover: { anything: true } },
    });
    expect(handshake.era).toBe("legacy");
  });

  test("of the legacy era falls back to probing if the server lacks initialize", async () => {
    const server = scriptedServer(undefined, { isModern: true });
    const { handshake } = await connect(server, { prior: { era: "legacy", at: Date.now() } });
    expect(handshake.era).toBe("modern");
    expect(requestsOf(server).slice(0, 2)).toEqual(["initialize", "server/discover"]);
    expect(server.starts()).toHaveLength(2);
  });

  test("of the modern era ends the session if the server turns out to be legacy", async () => {
    const session = await connect(scriptedServer(), { prior: modernPrior });
    const closed = new Promise((resolve) => session.onClose(resolve));
    const error = await failureOf(session.list("tools", { signal: never }));
    expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
    expect(await closed).toMatchObject({
      code: "MCP_SESSION_LOST",
      message: expect.stringContaining(
        "no longer supports the protocol version of the remembered handshake. Connect again without it",
      ),
    });
  });

  test("of the modern era survives an ordinary refusal", async () => {
    const server = scriptedServer(
      (message, { refuse }) => {
        if (message.method === "tools/call") refuse(-32602, "Unknown tool");
        return message.method === "tools/call";
      },
      { isModern: true, capabilities: { tools: {} } },
    );
    const session = await connect(server, { prior: modernPrior });
    const error = await failureOf(session.request("tools/call", { name: "nothing" }));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", rpcCode: -32602 });
    expect((await session.list("tools", { signal: never })).items).toHaveLength(1);
  });
});

test("[X1] a session that ends while it is adopted closes its transport and is not retried", async () => {
  const close = vi.fn(async () => {});
  // No process can be made to die at just that moment.
  const transport: Transport = {
    isPipe: true,
    facts: () => ({}),
    start: async () => transport.onclose?.(),
    send: async () => {},
    post() {},
    close,
  };
  const openTransport = vi.fn(async () => transport);
  const deadline = createDeadline({
    signal: never,
    timeoutMs: 0,
    aborted: () => new Error(),
    expired: () => new Error(),
  });
  const negotiating = negotiate({
    server: scriptedServer(),
    clientInfo: { name: "jackfield", version: "1" },
    capabilities: {},
    prior: modernPrior,
    connectTimeoutMs: 0,
    deadline,
    openTransport,
    createConnection: (opened) =>
      new Connection({
        transport: opened,
        limits: DEFAULT_LIMITS,
        listener: { onServerMessage() {}, onEnd() {} },
        onStrayAnswer() {},
        onProblem() {},
      }),
    onTransport() {},
    endingAnyway: new Set(),
    onProbeRefused() {},
  });
  await expect(negotiating).rejects.toMatchObject({ facts: { kind: "output-ended" } });
  expect(close).toHaveBeenCalledOnce();
  expect(openTransport).toHaveBeenCalledOnce();
  deadline[Symbol.dispose]();
});
