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
import { announcedCapabilities, createHandlerStack } from "../../src/session/server-requests.ts";
import { Peer, type Reply } from "./peer.ts";

const PROBE_TIMEOUT_MS = 20;
const clientInfo = { name: "jackfield", version: "1.2.3", title: "Jackfield" };
const handlers = createHandlerStack({ elicit: async () => ({ action: "cancel" }), roots: async () => [] });
const plain = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, logging: {}, experimental: { one: { two: 3 } } },
  serverInfo: { name: "peer", version: "1", title: "Peer" },
  instructions: "Be kind.",
};

/** @param known - whether the server is to be asked for its era, or what it has said at an earlier time */
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

/** What the SDK's own client makes of the same server. */
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

describe("a legacy server hears word for word what the SDK's client would say", () => {
  const REFUSED: Reply = { error: { code: -32601, message: "Method not found" } };
  test.each<[string, Reply, boolean]>([
    ["it refuses to be asked for its era", REFUSED, true],
    ["it ignores being asked", "silence", true],
    ["it refuses with a code of its own", { error: { code: 7, message: "?" } }, true],
    ["it is known for one", REFUSED, false],
  ])("%s", async (_, probe, isAsked) => {
    const replies = { "server/discover": probe, initialize: { result: plain } };
    const [ours, theirs] = [new Peer(replies), new Peer(replies)];
    const { handshake, isLegacy } = await early(ours, isAsked);
    await bySdk(theirs, isAsked);
    expect(isLegacy).toBe(true);
    expect(handshake).toMatchObject({ era: "legacy", prior: { era: "legacy", at: 1000 } });
    expect(ours.sent).toEqual(theirs.sent);
  });

  test("and is offered the versions that the SDK knows", () => {
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
      "that announces all",
      withCapabilities({ prompts: {}, resources: { subscribe: true }, completions: {} }),
    ],
    [
      "of a server made with the SDK of that time",
      withCapabilities({ tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
    ],
    ["that announces tasks of no kind", withCapabilities({ tasks: { more: 1 } })],
    ["with something of its sender", { ...plain, _meta: { more: 1 } }],
    ["with icons", withInfo({ icons: [{ src: "a.png", sizes: ["48x48"], theme: "dark" }] })],
    ["with a description", withInfo({ description: "Of a peer", websiteUrl: "https://peer.example" })],
    ["of the oldest version", { ...plain, protocolVersion: "2024-10-07" }],
  ])("is taken as the SDK takes it: %s", async (_, result) => {
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
    ["a member that is not known", { result: { ...plain, more: 1 } }],
    ["something of its sender that is none", { result: { ...plain, _meta: [] } }],
    ["a version that nobody speaks", { result: { ...plain, protocolVersion: "2030-01-01" } }],
    ["no version", { result: { ...plain, protocolVersion: undefined } }],
    ["icons that are none", { result: withInfo({ icons: "a.png" }) }],
    ["an icon of no source", { result: withInfo({ icons: [{ mimeType: "image/png" }] }) }],
    ["a name that is none", { result: withInfo({ name: 1 }) }],
    ["no capabilities", { result: withCapabilities(undefined) }],
    ["a capability that is not known", { result: withCapabilities({ dance: {} }) }],
    [
      "a capability called as what objects inherit",
      { result: withCapabilities({ constructor: { a: true } }) },
    ],
    ["a capability that is no object", { result: withCapabilities({ tools: true }) }],
    ["a flag that is none", { result: withCapabilities({ tools: { listChanged: "yes" } }) }],
    ["a flag that is not known", { result: withCapabilities({ tools: { sorted: true } }) }],
    ["tasks that are none", { result: withCapabilities({ tasks: true }) }],
    ["tasks in a list", { result: withCapabilities({ tasks: { list: [] } }) }],
    ["tasks that cannot be cancelled", { result: withCapabilities({ tasks: { cancel: 0 } }) }],
    ["requests of tasks that are none", { result: withCapabilities({ tasks: { requests: [] } }) }],
    ["tools of tasks that are none", { result: withCapabilities({ tasks: { requests: { tools: 1 } } }) }],
    [
      "a call of tasks that is none",
      { result: withCapabilities({ tasks: { requests: { tools: { call: "x" } } } }) },
    ],
    ["an experiment that is no object", { result: withCapabilities({ experimental: { one: 1 } }) }],
    ["instructions that are no text", { result: { ...plain, instructions: 1 } }],
    ["no object", { result: [] }],
    ["an error", { error: { code: -32602, message: "no" } }],
    ["the end", "end"],
    ["a pipe that takes nothing", new Error("broken")],
  ])("is left to the SDK, and nothing is said in return: %s", async (_, reply) => {
    const peer = new Peer({ initialize: reply });
    const { handshake, isLegacy } = await early(peer);
    expect([handshake, isLegacy]).toEqual([undefined, true]);
    expect(peer.sent).toHaveLength(2);
  });
});

test("[X1] a server that ended in the moment it was initialized has no handshake", async () => {
  const peer = new Peer({ initialize: { result: plain } });
  const sendToPeer = peer.send.bind(peer);
  peer.send = async (message) => {
    await sendToPeer(message);
    if ("method" in message && message.method === "notifications/initialized") peer.onclose?.();
  };
  await expect(early(peer)).rejects.toMatchObject({ facts: { kind: "output-ended" } });
});

test.each<[string, Reply]>([
  ["a result", { result: {} }],
  ["another version", { error: { code: -32022, message: "no", data: { supported: ["2027-01-01"] } } }],
  ["the end", "end"],
  ["a pipe that takes nothing", new Error("broken")],
])("a server that does not show itself a legacy one is left to the SDK: %s", async (_, reply) => {
  const peer = new Peer({ "server/discover": reply, initialize: { result: plain } });
  const { handshake, isLegacy } = await early(peer);
  expect([handshake, isLegacy]).toEqual([undefined, false]);
  expect(peer.sent).toHaveLength(1);
});

describe("over HTTP, an endpoint that refuses to be asked for its era by a status", () => {
  const refusal = (status: number, text = "") => new StatusRefusal("no", status, text);
  test.each([400, 404, 405, 422])("%i is taken for a legacy one", async (status) => {
    const replies = { "server/discover": refusal(status), initialize: { result: plain } };
    expect(await early(new Peer(replies))).toMatchObject({ isLegacy: true, handshake: { era: "legacy" } });
  });

  test.each<[string, Error]>([
    ["is broken", refusal(500)],
    ["is elsewhere", refusal(307)],
    ["knows eras", refusal(400, '{"error":{"code":-32022}}')],
    ["wants to know who asks", new ChannelFault({ kind: "http-refused", status: 401 })],
  ])("is left to the SDK where it %s", async (_, error) => {
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
    ["with nothing that could be missing", modern],
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
    ["of a server that speaks more", { ...modern, supportedVersions: ["2027-01-01", "2026-07-28"] }],
  ])("is taken as the SDK takes it: %s", async (_, result) => {
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
    ["a member that is not known", { ...full, more: 1 }],
    ["no version that we speak", { ...full, supportedVersions: ["2027-01-01"] }],
    ["versions that are none", { ...full, supportedVersions: "2026-07-28" }],
    ["a result of another kind", { ...full, resultType: "input_required" }],
    ["a lifetime that is none", { ...full, ttlMs: -1 }],
    ["a scope that is none", { ...full, cacheScope: "everybody" }],
    [
      "icons that are none",
      { ...full, _meta: { "io.modelcontextprotocol/serverInfo": { name: "p", version: "1", icons: {} } } },
    ],
    ["something else of its sender", { ...full, _meta: { ...info, more: 1 } }],
    ["tasks", { ...full, capabilities: { tasks: {} } }],
    ["instructions that are no text", { ...full, instructions: {} }],
  ])("is left to the SDK: %s", async (_, result) => {
    const { handshake, isLegacy } = await early(new Peer({ "server/discover": { result } }));
    expect([handshake, isLegacy]).toEqual([undefined, false]);
    const remembered = new Peer({});
    const start = vi.spyOn(remembered, "start");
    expect((await early(remembered, { ...result })).handshake).toBeUndefined();
    expect(start).not.toHaveBeenCalled();
  });
});
