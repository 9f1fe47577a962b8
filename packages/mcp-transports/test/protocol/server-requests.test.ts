import { tmpdir } from "node:os";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type HostHandlers, isInputRequired, McpError } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { fixedRoots } from "../../src/index.ts";
import { connect } from "../connecting.ts";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";

/** Sends the client the request in the call's arguments, and answers the call with the client's answer. */
const asking = (options: { isModern?: boolean } = {}): ScriptedServer =>
  scriptedServer((message, { send, answer }) => {
    const state = globalThis as { callId?: number | string | undefined };
    if (message.method === "tools/call") {
      state.callId = message.id;
      send({ id: "question", ...message.params.arguments });
      return true;
    }
    if (message.id !== "question" || message.method) return undefined;
    const reply = message as { result?: object; error?: object };
    send({
      id: state.callId,
      result: { content: [], structuredContent: { ...reply.result, ...reply.error } },
    });
    return Boolean(answer);
  }, options);

const ELICIT = {
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } },
};
const ROOTS = { method: "roots/list" };
const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 },
};

function revokedProxy() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

async function answerTo(serverRequest: object, handlers: HostHandlers, perCall?: HostHandlers) {
  const session = await connect(asking(), { handlers });
  const call = { name: "ask", arguments: { ...serverRequest } };
  return (await session.request("tools/call", call, { handlers: perCall })).structuredContent;
}

test("[T88] requests that are cancelled at once start at most 1,000 handlers", async () => {
  // The first answer shows that the SDK is loaded: until then, pings are answered while other requests are kept.
  // A request cancelled in the same chunk is never begun, so the client must answer a ping first: it has begun all earlier ones.
  const server = scriptedServer((message, { send }) => {
    const state = globalThis as { callId?: number | string | undefined; asked?: number };
    const { asked = 0 } = state;
    if (message.method === "tools/call") {
      state.callId = message.id;
      send({ id: "loaded", method: "roots/list" });
      return true;
    }
    if ((message.id !== "loaded" && message.id !== "begun") || message.method !== undefined) return undefined;
    for (let id = Math.max(0, asked - 100); id < asked; id += 1)
      send({ method: "notifications/cancelled", params: { requestId: id } });
    if (asked === 1100) {
      send({ id: state.callId, result: { content: [] } });
      return true;
    }
    state.asked = asked + 100;
    for (let id = asked; id < asked + 100; id += 1) send({ id, method: "roots/list" });
    send({ id: "begun", method: "ping" });
    return true;
  });
  const over = Promise.withResolvers<void>();
  const firstRoots = vi.fn(async () => []);
  const laterRoots = vi.fn(() => over.promise.then(() => []));
  const roots = () => (firstRoots.mock.calls.length === 0 ? firstRoots() : laterRoots());
  const session = await connect(server, { handlers: { roots } });
  await session.request("tools/call", { name: "ask" });
  over.resolve();
  expect(laterRoots).toHaveBeenCalledTimes(1000);
});

describe("the announced client capabilities", () => {
  test("match the host's handlers", async () => {
    const handlers: HostHandlers = {
      elicit: async () => ({ action: "cancel" }),
      roots: async () => [],
      sample: async () => ({}),
    };
    const server = scriptedServer();
    await connect(server, { handlers });
    const initialize = server.received().find(({ method }) => method === "initialize");
    expect(initialize?.params.capabilities).toEqual({
      elicitation: { form: { applyDefaults: true }, url: {} },
      sampling: {},
      roots: {},
    });
  });

  test("are empty without handlers, and the server's requests are refused", async () => {
    const server = scriptedServer();
    await connect(server);
    const initialize = server.received().find(({ method }) => method === "initialize");
    expect(initialize?.params.capabilities).toEqual({});
    for (const serverRequest of [ELICIT, ROOTS, SAMPLE])
      expect(await answerTo(serverRequest, {})).toMatchObject({ code: -32601 });
  });
});

describe("a server request", () => {
  test("for form elicitation is answered by the host's handler", async () => {
    const elicit = vi.fn(async () => ({ action: "accept", content: { a: "this" } }) as const);
    expect(await answerTo(ELICIT, { elicit })).toEqual({ action: "accept", content: { a: "this" } });
    expect(elicit).toHaveBeenCalledWith(
      { message: "Which?", mode: "form", requestedSchema: ELICIT.params.requestedSchema },
      {
        server: "scripted",
        signal: expect.any(AbortSignal),
        call: { method: "tools/call", tool: "ask" },
      },
    );
  });

  test("for URL elicitation is answered by the host's handler", async () => {
    const elicit = vi.fn(async () => ({ action: "decline" }) as const);
    const params = { mode: "url", message: "Open it", url: "https://example.com/", elicitationId: "1" };
    expect(await answerTo({ ...ELICIT, params }, { elicit })).toEqual({ action: "decline" });
    expect(elicit.mock.lastCall?.at(0)).toEqual({
      message: "Open it",
      mode: "url",
      url: "https://example.com/",
    });
  });

  test.each([
    ["a javascript: URL", "javascript:alert(1)"],
    ["a javascript: URL with a tab in it", "java\tscript:alert(1)"],
    ["a file: URL", "file:///etc/passwd"],
    ["a URL with a program's own scheme", "ms-msdt:/id%20PCWDiagnostic"],
    ["an http: URL of another machine", "http://example.com/"],
    ["an http: URL that only starts with localhost", "http://localhost.example.com/"],
    ["a URL with a password", "https://ada:secret@example.com/"],
  ])("[T67] to open %s is declined without asking the host", async (_, url) => {
    const elicit = vi.fn(async () => ({ action: "accept" }) as const);
    const params = { mode: "url", message: "Open it", url, elicitationId: "1" };
    expect(await answerTo({ ...ELICIT, params }, { elicit })).toEqual({ action: "decline" });
    expect(elicit).not.toHaveBeenCalled();
  });

  test.each([
    ["HTTPS://EXAMPLE.com:443", "https://example.com/"],
    ["https://g\u0456thub.com/login", `${new URL("https://g\u0456thub.com").origin}/login`],
    ["https://good.example\\@evil.example/", "https://good.example/@evil.example/"],
    ["https:evil.example", "https://evil.example/"],
    ["https://\uff45xample.com\u3002evil.example/a b", undefined],
    ["https://\uff45xample.com\u3002evil.example/", "https://example.com.evil.example/"],
    ["https://exa\u00admple.com/", undefined],
    ["https://example.com/\u202egpj.exe", undefined],
    ["https://example.com/\u0000", undefined],
    ["https://example.com/../a?b=\u00e9", "https://example.com/a?b=%C3%A9"],
  ])("[T67] to open %j hands over what the URL standard reads", async (url, handed) => {
    const elicit = vi.fn(async () => ({ action: "accept" }) as const);
    const params = { mode: "url", message: "Open it", url, elicitationId: "1" };
    const answer = await answerTo({ ...ELICIT, params }, { elicit });
    expect(answer).toEqual({ action: handed === undefined ? "decline" : "accept" });
    expect(elicit.mock.calls).toHaveLength(handed === undefined ? 0 : 1);
    if (handed !== undefined) expect(elicit.mock.lastCall?.at(0)).toMatchObject({ url: handed });
  });

  test("[T67] to open an http: URL of this machine reaches the host", async () => {
    const elicit = vi.fn(async () => ({ action: "accept" }) as const);
    const params = {
      mode: "url",
      message: "Open it",
      url: "http://127.0.0.1:8080/consent",
      elicitationId: "1",
    };
    expect(await answerTo({ ...ELICIT, params }, { elicit })).toEqual({ action: "accept" });
    expect(elicit).toHaveBeenCalledOnce();
  });

  test("pauses the idle deadline of the call while the user answers", async () => {
    const session = await connect(asking(), {
      handlers: {
        elicit: async (_, { signal }) => {
          vi.advanceTimersByTime(60 * 60_000);
          return { action: signal.aborted ? "cancel" : "decline" };
        },
      },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const call = { name: "ask", arguments: { ...ELICIT } };
      const options = { timeoutMs: 1000, maxTotalMs: 0 };
      const { structuredContent } = await session.request("tools/call", call, options);
      expect(structuredContent).toEqual({ action: "decline" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("for roots is answered by the host's handler", async () => {
    const roots = async () => [{ uri: "file:///work", name: "work" }, { uri: "file:///tmp" }];
    expect(await answerTo(ROOTS, { roots })).toEqual({ roots: await roots() });
  });

  test("for sampling is answered by the host's handler", async () => {
    const answer = { role: "assistant", model: "m", content: { type: "text", text: "hello" } };
    const sample = vi.fn(async () => answer);
    expect(await answerTo(SAMPLE, { sample })).toEqual(answer);
    expect(sample.mock.lastCall?.at(0)).toMatchObject(SAMPLE.params);
  });

  test("during a call goes to that call's handlers first", async () => {
    const base: HostHandlers = { elicit: async () => ({ action: "cancel" }) };
    const own: HostHandlers = { elicit: async () => ({ action: "decline" }) };
    expect(await answerTo(ELICIT, base, own)).toEqual({ action: "decline" });
    expect(await answerTo(ELICIT, base, { roots: async () => [] })).toEqual({ action: "cancel" });
  });

  test("whose handler throws gets -32603 without the handler's message", async () => {
    const log = vi.fn();
    const session = await connect(asking(), {
      log,
      handlers: {
        elicit: async () => {
          throw new Error("the host's database password is wrong");
        },
      },
    });
    const call = { name: "ask", arguments: { ...ELICIT } };
    const { structuredContent } = await session.request("tools/call", call);
    expect(structuredContent).toEqual({ code: -32603, message: "The client could not answer." });
    expect(log).toHaveBeenCalledWith(
      "warn",
      expect.stringContaining("elicitation/create"),
      expect.anything(),
    );
  });

  test.each([
    ["has no text", () => Object.create(null)],
    ["is a revoked proxy", revokedProxy],
  ])("whose handler rejects with a value that %s gets -32603", async (_, make) => {
    const log = vi.fn();
    const roots = () => Promise.reject(make());
    const session = await connect(asking(), { log, handlers: { roots } });
    const { structuredContent } = await session.request("tools/call", { name: "ask", arguments: ROOTS });
    expect(structuredContent).toEqual({ code: -32603, message: "The client could not answer." });
    const fields = { server: "scripted", error: "a value without a text" };
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("roots/list"), fields);
  });

  test.each([
    ["an error", (code: number) => Object.assign(new Error("the database password is wrong"), { code })],
    ["an McpError", (rpcCode: number) => new McpError("MCP_CALL_DENIED", "secret", { rpcCode })],
  ])("[N21] whose handler throws %s with a code gets only the code", async (_, make) => {
    const roots = async () => {
      throw make(-32042);
    };
    expect(await answerTo(ROOTS, { roots })).toEqual({
      code: -32042,
      message: "The client could not answer.",
    });
  });

  test("[N15] for fixed roots gets the same answer after the working directory changed", async () => {
    const session = await connect(asking(), { handlers: { roots: fixedRoots(["."]) } });
    const before = process.cwd();
    const call = { name: "ask", arguments: { ...ROOTS } };
    const first = await session.request("tools/call", call);
    process.chdir(tmpdir());
    const second = await session.request("tools/call", call).finally(() => process.chdir(before));
    expect(first.structuredContent).toEqual({
      roots: [{ uri: pathToFileURL(before).href, name: basename(before) }],
    });
    expect(second.structuredContent).toEqual(first.structuredContent);
  });

  test("from a modern server is answered within the call", async () => {
    const server = scriptedServer(
      (message, { send, answer }) => {
        if (message.method !== "tools/call") return undefined;
        if (message.params.inputResponses) {
          answer({ content: [], structuredContent: message.params.inputResponses });
          return true;
        }
        const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
        const inputRequests = {
          q1: { method: "elicitation/create", params: { mode: "form", message: "Which?", requestedSchema } },
        };
        send({ id: message.id, result: { resultType: "input_required", inputRequests, requestState: "s" } });
        return true;
      },
      { isModern: true, capabilities: { tools: {} } },
    );
    const elicit = async () => ({ action: "accept", content: { a: "that" } }) as const;
    const session = await connect(server, { handlers: { elicit } });
    const { structuredContent } = await session.request("tools/call", { name: "ask" });
    expect(structuredContent).toEqual({ q1: { action: "accept", content: { a: "that" } } });
  });

  test("from a modern server is returned to the caller, who can answer it in a second call", async () => {
    const server = scriptedServer(
      (message, { send, answer }) => {
        if (message.method !== "tools/call") return undefined;
        const { inputResponses, requestState, _meta } = message.params;
        const inputRequests = {
          q1: { method: "elicitation/create", params: { mode: "form", message: "Which?" } },
        };
        const state = JSON.stringify(_meta["io.modelcontextprotocol/clientCapabilities"]);
        const result = { resultType: "input_required", inputRequests, requestState: state };
        if (inputResponses) answer({ content: [], structuredContent: { inputResponses, requestState } });
        else send({ id: message.id, result });
        return true;
      },
      { isModern: true, capabilities: { tools: {} } },
    );
    const session = await connect(server, {});
    const inputRequired = "return";
    const asked = await session.request("tools/call", { name: "ask" }, { inputRequired });
    if (!isInputRequired(asked)) throw new Error("The server did not ask.");
    expect(asked).toMatchObject({ content: [], inputRequests: { q1: { params: { message: "Which?" } } } });
    const { requestState } = asked;
    expect(JSON.parse(requestState ?? "")).toEqual({ elicitation: { form: {}, url: {} } });
    const inputResponses = { q1: { action: "accept", content: { a: "that" } } };
    const options = { inputRequired, inputResponses, requestState } as const;
    const { structuredContent } = await session.request("tools/call", { name: "ask" }, options);
    expect(structuredContent).toEqual({ inputResponses, requestState });
  });
});
