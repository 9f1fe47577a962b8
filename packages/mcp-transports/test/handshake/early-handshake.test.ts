import { type JsonObject, silentLogger } from "@jackfield/mcp-core";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { ChannelFault } from "../../src/channel-fault.ts";
import { shakeHandsEarly } from "../../src/handshake/early-handshake.ts";
import { LEGACY_VERSIONS } from "../../src/handshake/plain-handshake.ts";
import { StatusRefusal } from "../../src/http/refusal-error.ts";
import { loadSdk, NO_SDK_TIMEOUT_MS } from "../../src/sdk.ts";
import { createNotificationRelay } from "../../src/session/notification-relay.ts";
import { createSdkClient, sdkImplementation } from "../../src/session/sdk-client.ts";
import { announcedCapabilities, type SessionHandlers } from "../../src/session/server-requests.ts";
import { Peer, type Reply } from "./peer.ts";

const PROBE_TIMEOUT_MS = 20;
const clientInfo = { name: "jackfield", version: "1.2.3", title: "Jackfield" };
const handlers: SessionHandlers = {
  base: { elicit: async () => ({ action: "cancel" }), roots: async () => [] },
  principal: undefined,
};
const plain = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, logging: {}, experimental: { one: { two: 3 } } },
  serverInfo: { name: "peer", version: "1", title: "Peer" },
  instructions: "Be kind.",
};

/** @param known - whether to probe for the era, or the result of an earlier `server/discover` */
async function early(peer: Peer, known: boolean | JsonObject | undefined = true) {
  const asking = { kind: known ? "probe" : "legacy" } as const;
  const begun = await shakeHandsEarly(peer, {
    clientInfo: sdkImplementation(clientInfo),
    capabilities: announcedCapabilities(handlers.base),
    approach: typeof known === "object" ? { kind: "adopt", discover: known } : asking,
    probeTimeoutMs: PROBE_TIMEOUT_MS,
    learnedAt: () => 1000,
    onNotification: () => {},
    onProblem: () => {},
  });
  return begun ?? { handshake: undefined, isLegacy: undefined };
}

/** Connects the SDK's own client to the server. */
async function bySdk(peer: Peer, isAsked = true) {
  const client = createSdkClient({
    sdk: await loadSdk(),
    clientInfo,
    probeTimeoutMs: PROBE_TIMEOUT_MS,
    server: { transport: "stdio", name: "peer", command: "x", args: [], env: {}, secrets: [] },
    handlers,
    notifications: createNotificationRelay(() => {}),
    log: silentLogger,
    onProblem: () => {},
  });
  const prior = isAsked ? undefined : ({ kind: "legacy" } as const);
  await client.connect(peer, { timeout: NO_SDK_TIMEOUT_MS, ...(prior && { prior }) });
  return client;
}

describe("a legacy server gets exactly the messages of the SDK's client", () => {
  const REFUSED: Reply = { error: { code: -32601, message: "Method not found" } };
  test.each<[string, Reply, boolean]>([
    ["if it refuses server/discover", REFUSED, true],
    ["if it ignores server/discover", "silence", true],
    ["if it refuses server/discover with its own code", { error: { code: 7, message: "?" } }, true],
    ["if it is known to be legacy", REFUSED, false],
  ])("%s", async (_, probe, isAsked) => {
    const replies = { "server/discover": probe, initialize: { result: plain } };
    const [ours, theirs] = [new Peer(replies), new Peer(replies)];
    const { handshake, isLegacy } = await early(ours, isAsked);
    await bySdk(theirs, isAsked);
    expect(isLegacy).toBe(true);
    expect(handshake).toMatchObject({ era: "legacy", prior: { era: "legacy", at: 1000 } });
    expect(ours.sent).toEqual(theirs.sent);
  });

  test("and is offered the SDK's protocol versions", () => {
    expect(LEGACY_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  });
});

describe("an answer to initialize", () => {
  const withInfo = (more: object) => ({ ...plain, serverInfo: { ...plain.serverInfo, ...more } });
  const withCapabilities = (capabilities: unknown) => ({ ...plain, capabilities });
  test.each<[string, object]>([
    ["with everything", plain],
    ["without instructions", { ...plain, instructions: undefined }],
    ["that announces nothing", withCapabilities({})],
    [
      "that announces prompts, resources and completions",
      withCapabilities({ prompts: {}, resources: { subscribe: true }, completions: {} }),
    ],
    [
      "that announces tasks as the SDK of that time does",
      withCapabilities({ tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    ],
    ["that announces tasks with an unknown member", withCapabilities({ tasks: { more: 1 } })],
    ["with a _meta", { ...plain, _meta: { more: 1 } }],
    ["with icons", withInfo({ icons: [{ src: "a.png", sizes: ["48x48"], theme: "dark" }] })],
    ["with a description", withInfo({ description: "Of a peer", websiteUrl: "https://peer.example" })],
    ["of the oldest version", { ...plain, protocolVersion: "2024-10-07" }],
  ])("is read as the SDK reads it: %s", async (_, result) => {
    const replies = { initialize: { result: JSON.parse(JSON.stringify(result)) } };
    const { handshake } = await early(new Peer(replies));
    const client = await bySdk(new Peer(replies));
    expect(handshake).toMatchObject({
      protocolVersion: client.getNegotiatedProtocolVersion(),
      capabilities: client.getServerCapabilities(),
      serverInfo: client.getServerVersion(),
    });
    expect(handshake?.instructions).toBe(client.getInstructions());
  });

  test.each<[string, Reply]>([
    ["an unknown member", { result: { ...plain, more: 1 } }],
    ["a _meta that is no object", { result: { ...plain, _meta: [] } }],
    ["an unknown version", { result: { ...plain, protocolVersion: "2030-01-01" } }],
    ["no version", { result: { ...plain, protocolVersion: undefined } }],
    ["icons that are no array", { result: withInfo({ icons: "a.png" }) }],
    ["an icon without a src", { result: withInfo({ icons: [{ mimeType: "image/png" }] }) }],
    ["a name that is no string", { result: withInfo({ name: 1 }) }],
    ["no capabilities", { result: withCapabilities(undefined) }],
    ["an unknown capability", { result: withCapabilities({ dance: {} }) }],
    ["a capability named constructor", { result: withCapabilities({ constructor: { a: true } }) }],
    ["a capability that is no object", { result: withCapabilities({ tools: true }) }],
    ["a flag that is no boolean", { result: withCapabilities({ tools: { listChanged: "yes" } }) }],
    ["an unknown flag", { result: withCapabilities({ tools: { sorted: true } }) }],
    ["tasks that are no object", { result: withCapabilities({ tasks: true }) }],
    ["tasks.list as an array", { result: withCapabilities({ tasks: { list: [] } }) }],
    ["tasks.cancel that is no object", { result: withCapabilities({ tasks: { cancel: 0 } }) }],
    ["tasks.requests as an array", { result: withCapabilities({ tasks: { requests: [] } }) }],
    [
      "tasks.requests.tools that is no object",
      { result: withCapabilities({ tasks: { requests: { tools: 1 } } }) },
    ],
    [
      "tasks.requests.tools.call that is no object",
      { result: withCapabilities({ tasks: { requests: { tools: { call: "x" } } } }) },
    ],
    [
      "an experimental capability that is no object",
      { result: withCapabilities({ experimental: { one: 1 } }) },
    ],
    ["instructions that are no string", { result: { ...plain, instructions: 1 } }],
    ["an array", { result: [] }],
    ["an error", { error: { code: -32602, message: "no" } }],
    ["the end of the connection", "end"],
    ["a failing write", new Error("broken")],
  ])("is left to the SDK without a reply: %s", async (_, reply) => {
    const peer = new Peer({ initialize: reply });
    const { handshake, isLegacy } = await early(peer);
    expect([handshake, isLegacy]).toEqual([undefined, true]);
    expect(peer.sent).toHaveLength(2);
  });
});

test("[X1] a server that ends right after notifications/initialized has no handshake", async () => {
  const peer = new Peer({ initialize: { result: plain } });
  const sendToPeer = peer.send.bind(peer);
  peer.send = async (message) => {
    await sendToPeer(message);
    if ("method" in message && message.method === "notifications/initialized") peer.onclose?.();
  };
  await expect(early(peer)).rejects.toMatchObject({ facts: { kind: "output-ended" } });
});

test.each<[string, Reply]>([
  ["an empty result", { result: {} }],
  [
    "an error with other versions",
    { error: { code: -32022, message: "no", data: { supported: ["2027-01-01"] } } },
  ],
  ["the end of the connection", "end"],
  ["a failing write", new Error("broken")],
])("a server whose reply to server/discover is not a legacy one is left to the SDK: %s", async (_, reply) => {
  const peer = new Peer({ "server/discover": reply, initialize: { result: plain } });
  const { handshake, isLegacy } = await early(peer);
  expect([handshake, isLegacy]).toEqual([undefined, false]);
  expect(peer.sent).toHaveLength(1);
});

describe("an HTTP endpoint that refuses server/discover", () => {
  const refusal = (status: number, text = "") => new StatusRefusal("no", status, text);
  test.each([400, 404, 405, 422])("with %i counts as legacy", async (status) => {
    const replies = { "server/discover": refusal(status), initialize: { result: plain } };
    expect(await early(new Peer(replies))).toMatchObject({ isLegacy: true, handshake: { era: "legacy" } });
  });

  test.each<[string, Error]>([
    ["with 500", refusal(500)],
    ["with 307", refusal(307)],
    ["with 400 and the code -32022", refusal(400, '{"error":{"code":-32022}}')],
    ["with 401", new ChannelFault({ kind: "http-refused", status: 401 })],
  ])("%s is left to the SDK", async (_, error) => {
    const { handshake, isLegacy } = await early(new Peer({ "server/discover": error }));
    expect([handshake, isLegacy]).toEqual([undefined, false]);
  });
});

describe("an answer to server/discover", () => {
  const info = { "io.modelcontextprotocol/serverInfo": { name: "peer", version: "2", title: "Peer" } };
  const modern = { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } };
  const full = {
    ...modern,
    resultType: "complete",
    ttlMs: 5000,
    cacheScope: "public",
    instructions: "Be modern.",
    _meta: info,
  };

  test.each<[string, object]>([
    ["with everything", full],
    ["with the required members only", modern],
    [
      "that announces extensions",
      { ...modern, capabilities: { extensions: { "a/b": {} }, completions: {} } },
    ],
    [
      "with icons",
      {
        ...full,
        _meta: {
          "io.modelcontextprotocol/serverInfo": { name: "p", version: "1", icons: [{ src: "a.png" }] },
        },
      },
    ],
    ["with another, unknown version", { ...modern, supportedVersions: ["2027-01-01", "2026-07-28"] }],
  ])("is read as the SDK reads it: %s", async (_, result) => {
    const replies = { "server/discover": { result } };
    const [ours, theirs] = [new Peer(replies), new Peer(replies)];
    const { handshake } = await early(ours);
    const client = await bySdk(theirs);
    expect(handshake).toEqual({
      era: "modern",
      protocolVersion: client.getNegotiatedProtocolVersion(),
      capabilities: client.getServerCapabilities(),
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
      prior: { era: "modern", at: 1000, discover: client.getDiscoverResult() },
    });
    expect(ours.sent).toEqual(theirs.sent);
    const adopted = new Peer({});
    const { prior } = handshake ?? expect.fail("there is no handshake");
    const again = await early(adopted, prior.era === "modern" ? prior.discover : undefined);
    expect(again.handshake).toEqual(handshake);
    expect(adopted.sent).toEqual([]);
  });

  test.each<[string, object]>([
    ["an unknown member", { ...full, more: 1 }],
    ["no common version", { ...full, supportedVersions: ["2027-01-01"] }],
    ["versions that are no array", { ...full, supportedVersions: "2026-07-28" }],
    ["another result type", { ...full, resultType: "input_required" }],
    ["a negative ttlMs", { ...full, ttlMs: -1 }],
    ["an unknown cacheScope", { ...full, cacheScope: "everybody" }],
    [
      "icons that are no array",
      { ...full, _meta: { "io.modelcontextprotocol/serverInfo": { name: "p", version: "1", icons: {} } } },
    ],
    ["an unknown member in its _meta", { ...full, _meta: { ...info, more: 1 } }],
    ["tasks", { ...full, capabilities: { tasks: {} } }],
    ["instructions that are no string", { ...full, instructions: {} }],
  ])("is left to the SDK: %s", async (_, result) => {
    const { handshake, isLegacy } = await early(new Peer({ "server/discover": { result } }));
    expect([handshake, isLegacy]).toEqual([undefined, false]);
    const remembered = new Peer({});
    const start = vi.spyOn(remembered, "start");
    expect((await early(remembered, { ...result })).handshake).toBeUndefined();
    expect(start).not.toHaveBeenCalled();
  });
});
