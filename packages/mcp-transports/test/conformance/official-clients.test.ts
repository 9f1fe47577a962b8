import type { JsonObject, ResolvedServer } from "@jackfield/mcp-core";
import {
  createInProcessFaultServer,
  type FaultScript,
  type HttpFaultScript,
  type InProcessFaultServer,
  startHttpFaultServer,
} from "@jackfield/test-kit";
import { afterAll, describe, expect, test } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connect } from "../connecting.ts";
import { prepareFaultServer } from "./fault-server.ts";

/**
 * The same sessions through both official clients and through ours. What a caller learns of a server must be the same, or the difference is
 * listed below with its reason.
 */

/** What a client does in a session. Each method resolves with plain values, or rejects. */
interface Peer {
  about(): JsonObject;
  tools(): Promise<unknown>;
  call(name: string, args: JsonObject): Promise<JsonObject>;
  resources(): Promise<unknown>;
  read(uri: string): Promise<JsonObject>;
  prompts(): Promise<unknown>;
  close(): Promise<unknown>;
}

type Open = (server: ResolvedServer, era: "legacy" | "modern") => Promise<Peer>;

const INFO = { name: "oracle", version: "1.0.0" };

/** The client of version 1 or 2 of the SDK, which have the same methods. */
// biome-ignore lint/suspicious/noExplicitAny: the two versions have no type in common
const officialPeer = (client: any): Peer => ({
  about: () => ({
    // Version 1 tells it over Streamable HTTP only.
    version: client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? "2025-11-25",
    name: client.getServerVersion()?.name,
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  }),
  async tools() {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    // Version 2 joins the pages itself.
    do {
      const page = await client.listTools(cursor === undefined ? undefined : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined && tools.length < 100);
    return tools;
  },
  call: (name, args) => client.callTool({ name, arguments: args }),
  resources: async () => (await client.listResources()).resources,
  read: (uri) => client.readResource({ uri }),
  prompts: async () => (await client.listPrompts()).prompts,
  close: () => client.close(),
});

const openVersion1: Open = async (server) => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
  const sdk = { SSEClientTransport, StdioClientTransport, StreamableHTTPClientTransport, InMemoryTransport };
  return opened(new Client(INFO), await transportTo(server, sdk));
};

const openVersion2: Open = async (server, era) => {
  const { Client, ...sdk } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(INFO, { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } });
  return opened(client, await transportTo(server, { ...sdk, StdioClientTransport }));
};

// biome-ignore lint/suspicious/noExplicitAny: the two versions have no type in common
async function transportTo(server: ResolvedServer, sdk: any): Promise<unknown> {
  switch (server.transport) {
    case "stdio":
      return new sdk.StdioClientTransport({
        command: server.command,
        args: [...server.args],
        stderr: "ignore",
      });
    case "in-process": {
      const [ours, theirs] = sdk.InMemoryTransport.createLinkedPair();
      await (server.server as InProcessFaultServer).connect(theirs);
      return ours;
    }
    case "sse":
      return new sdk.SSEClientTransport(new URL(server.url));
    case "http":
      return new sdk.StreamableHTTPClientTransport(new URL(server.url));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the two versions have no type in common
async function opened(client: any, transport: unknown): Promise<Peer> {
  atEnd(() => client.close());
  await client.connect(transport);
  return officialPeer(client);
}

const openOurs: Open = async (server) => {
  const session = await connect(server);
  const signal = new AbortController().signal;
  return {
    about: () => {
      const { protocolVersion, serverInfo, capabilities, instructions } = session.handshake;
      return { version: protocolVersion, name: serverInfo?.name, capabilities, instructions } as JsonObject;
    },
    tools: async () => (await session.list("tools", { signal })).items,
    call: (name, args) => session.request("tools/call", { name, arguments: args }) as Promise<never>,
    resources: async () => (await session.list("resources", { signal })).items,
    read: (uri) => session.request("resources/read", { uri }) as Promise<never>,
    prompts: async () => (await session.list("prompts", { signal })).items,
    close: () => session.close(),
  };
};

/** What a caller learns: for each step its values, or the JSON-RPC error, or that it failed. */
async function recorded(open: Open, server: ResolvedServer, era: "legacy" | "modern"): Promise<JsonObject> {
  const record: Record<string, unknown> = {};
  const step = async (name: string, act: () => unknown) => {
    record[name] = await (async () => act())().then(plain, failureOf);
  };
  let peer: Peer | undefined;
  await step("connect", async () => {
    peer = await open(server, era);
    return peer.about();
  });
  if (!peer) return record as JsonObject;
  const { tools, call, resources, read, prompts, close } = peer;
  await step("tools", tools);
  await step("echo", () => call("echo", { text: "hello" }));
  await step("fail", () => call("fail", {}));
  await step("structured", () => call("structured", {}));
  await step("image", () => call("image", {}));
  await step("unknown tool", () => call("nothing", {}));
  await step("resources", resources);
  await step("read", () => read("memo://a"));
  await step("prompts", prompts);
  await close();
  return record as JsonObject;
}

/** Without what only one of the clients shows: the kind of a result, how long it may be kept, who sent it. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (key, member) =>
      ["resultType", "ttlMs", "cacheScope", "_meta"].includes(key) ? undefined : member,
    ),
  );
}

/** Both SDKs use codes of their own for a connection that closed and a deadline, and the HTTP status as a code. */
const NOT_OF_THE_SERVER = /connection closed|timed out|^not connected|did not answer/i;

function failureOf(error: { code?: unknown; rpcCode?: unknown; message?: unknown }): string {
  const code = error.rpcCode ?? error.code;
  const isOfTheServer =
    typeof code === "number" && code < 0 && !NOT_OF_THE_SERVER.test(String(error.message));
  return isOfTheServer ? `error ${code}` : "failed";
}

const RESOURCES = [{ uri: "memo://a", name: "a" }];
const PROMPTS = [{ name: "greet", arguments: [{ name: "who", required: true }] }];
const SCHEMA = { type: "object" as const, properties: { text: { type: "string" } } };

/** Whatever the transport. */
const CONVERSATIONS: { readonly [name: string]: HttpFaultScript & FaultScript } = {
  plain: {},
  "everything announced": { resources: RESOURCES, prompts: PROMPTS, instructions: "Be kind." },
  "tools on several pages": { pageSize: 2 },
  "a tool with everything": {
    tools: [
      {
        name: "echo",
        title: "Echo",
        description: "Says it.",
        inputSchema: SCHEMA,
        annotations: { readOnlyHint: true },
      },
    ],
  },
  "no tools": { tools: [] },
  "a call refused as invalid": { errorOn: { "tools/call": { code: -32602, message: "no", data: { a: 1 } } } },
  "a call that fails inside": { errorOn: { "tools/call": { code: -32603, message: "broken" } } },
  "a list that fails": { errorOn: { "tools/list": { code: -32603, message: "broken" } } },
  "late answers": { answerLateMs: { "tools/call": 40 }, progress: 3 },
  "lists that change": { listChangedAfterCall: true },
  "a cursor that repeats": { repeatCursor: true },
  "a tool without a schema": { tools: [{ name: "odd" } as never, { name: "echo", inputSchema: SCHEMA }] },
  "a version that nobody knows": { protocolVersion: "1999-01-01" },
};

const PIPES: typeof CONVERSATIONS = {
  "lines that are no messages": { junk: { before: ["Listening …", "{}"], after: ["[1]", "done"] } },
  "Windows line ends": { crlf: true },
  "one byte at a time": { chunkBytes: 1 },
  "every answer twice": { duplicateAnswers: true },
  "ids as text": { stringIds: true },
  "answers to nobody": { strayAnswers: true },
  "words on standard error": { stderr: ["warming up", "ready"] },
  "a large answer": { answerBytes: { "tools/call": 300_000 } },
  "an end at the start": { exitOn: "start" },
  "an end in the handshake": { exitOn: "initialize" },
  "an end in a call": { exitOn: "call" },
  "a death in a call": { dieInCall: true },
};

const REPLY = { "content-type": "application/json" };
const REQUESTS: typeof CONVERSATIONS = {
  "no session": { sessionless: true },
  "no stream of the server": { on: { GET: { reply: { status: 405 } } } },
  "a call answered with 500": { on: { "tools/call": { reply: { status: 500 } } } },
  "a call answered with 400 and an error": {
    on: {
      "tools/call": {
        reply: {
          status: 400,
          headers: REPLY,
          body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"odd"}}',
        },
      },
    },
  },
  "a call that was not authorized": { on: { "tools/call": { reply: { status: 401 } } } },
  "a call redirected within the origin": { on: { "tools/call": { redirect: "same-origin" } } },
  "a list that is no JSON": { on: { "tools/list": { reply: { status: 200, headers: REPLY, body: "{" } } } },
  "a server that is down": { on: { POST: { reply: { status: 503 } } } },
};

type Way = "stdio" | "in-process" | "json" | "sse" | "legacy-sse";
interface Recording {
  readonly name: string;
  readonly way: Way;
  readonly era: "legacy" | "modern";
  readonly script: HttpFaultScript & FaultScript;
}

const recordings: readonly Recording[] = [
  ...sessions(CONVERSATIONS, ["stdio", "in-process", "json", "sse", "legacy-sse"], "legacy"),
  ...sessions(CONVERSATIONS, ["stdio", "in-process", "json", "sse"], "modern"),
  ...sessions(PIPES, ["stdio"], "legacy"),
  ...sessions(REQUESTS, ["json", "sse"], "legacy"),
];

function sessions(
  scripts: typeof CONVERSATIONS,
  ways: readonly Way[],
  era: "legacy" | "modern",
): Recording[] {
  return ways.flatMap((way) => Object.entries(scripts).map(([name, script]) => ({ name, way, era, script })));
}

async function start({ way, era, script }: Recording): Promise<ResolvedServer> {
  if (way === "stdio") {
    const prepared = prepareFaultServer({ ...script, era });
    atEnd(prepared.dispose);
    return prepared.server;
  }
  if (way === "in-process")
    return {
      transport: way,
      name: "guest",
      server: createInProcessFaultServer({ ...script, era }),
      secrets: [],
    };
  const remote = await startHttpFaultServer({ ...script, era, answer: way });
  atEnd(() => remote.close());
  const transport = way === "legacy-sse" ? "sse" : "http";
  return { transport, name: "remote", url: remote.url, headers: {}, secrets: [] };
}

/** Where ours differs, by the step, and why. Whoever removes a difference removes its line. */
const NOT_ANNOUNCED = "a kind that the server does not announce is empty, without a request";
const IN_THE_BODY = "the error in the body says more than the status";
const DIFFERENCES: { readonly [name: string]: { readonly [step: string]: string } } = {
  "an end in a call": { resources: NOT_ANNOUNCED, prompts: NOT_ANNOUNCED },
  "a death in a call": { resources: NOT_ANNOUNCED, prompts: NOT_ANNOUNCED },
  "a call answered with 400 and an error": {
    echo: IN_THE_BODY,
    fail: IN_THE_BODY,
    structured: IN_THE_BODY,
    image: IN_THE_BODY,
    "unknown tool": IN_THE_BODY,
  },
  "a cursor that repeats": { tools: "the list ends with what came, and a warning" },
  "a tool without a schema": { tools: "one tool that cannot be used does not take the others along" },
};

describe.concurrent("sessions through the official clients and ours", () => {
  const seen = new Set<string>();
  afterAll(() => {
    const listed = Object.entries(DIFFERENCES).flatMap(([name, steps]) =>
      Object.keys(steps).map((step) => `${name}: ${step}`),
    );
    expect([...seen].sort(), "every listed difference is one").toEqual(listed.sort());
    expect(recordings.length).toBeGreaterThanOrEqual(60);
  });

  test.each(
    recordings.map(
      (recording) => [`${recording.way}, ${recording.era}: ${recording.name}`, recording] as const,
    ),
  )("%s", async (_, recording) => {
    const { era, name } = recording;
    const record = async (open: Open) => recorded(open, await start(recording), era);
    const officials = era === "modern" ? [openVersion2] : [openVersion1, openVersion2];
    const ours = await record(openOurs);
    for (const official of officials) {
      const theirs = await record(official);
      const differing = Object.keys({ ...theirs, ...ours }).filter(
        (step) => JSON.stringify(sorted(theirs[step])) !== JSON.stringify(sorted(ours[step])),
      );
      const listed = Object.keys(DIFFERENCES[name] ?? {});
      const unexpected = differing.filter((step) => !listed.includes(step));
      for (const step of listed) if (differing.includes(step)) seen.add(`${name}: ${step}`);
      const shown = (of: JsonObject) => Object.fromEntries(unexpected.map((step) => [step, of[step]]));
      expect(shown(ours), official === openVersion1 ? "version 1" : "version 2").toEqual(shown(theirs));
    }
  });
});

function sorted(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, member) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    ),
  );
}
