import type { ServerResponse } from "node:http";
import type {
  ConnectOptions,
  HostHandlers,
  InProcessServer,
  ResolvedServer,
  ServerRequestContext,
  Session,
  SessionRequestOptions,
} from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "./connecting.ts";
import { type HttpExchange, startHttpServer } from "./http-server.ts";
import { scriptedServer } from "./scripted-server.ts";

type Message = HttpExchange["message"];

const HANDSHAKE = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "asking", version: "1" },
};
const FORM = { type: "object", properties: { word: { type: "string" } } };
const ROOTS = [{ uri: "file:///runtime" }];
const SAMPLED = { role: "assistant", model: "m", content: { type: "text", text: "hello" } };

/** The way on which a question comes: on the stream of a call, or on one that all calls share. */
type Way = "in-process" | "sse" | "standing stream" | "own stream";
const SHARED_WAYS = ["in-process", "sse", "standing stream"] as const;

/** A server whose messages the test sends. It answers no call by itself. */
interface AskingServer {
  readonly session: Session;
  /** The message of the call of this caller, once it has arrived. */
  arrived(who: string): Promise<Message>;
  /** Sends a message: `on` the stream of the call of this caller, if calls have streams of their own. */
  send(message: object, on?: string): void;
  /** Answers the call of this caller. */
  answer(who: string): void;
  /** The client's answer to a question. */
  reply(id: number | string): Promise<Message>;
  /** Everything that the client has sent. */
  readonly received: readonly Message[];
}

const ask = (id: string, method = "elicitation/create") => ({
  id,
  method,
  params:
    method === "elicitation/create"
      ? { message: `Question ${id}`, requestedSchema: FORM }
      : { messages: [], maxTokens: 1 },
});

async function connectTo(way: Way, options: Partial<ConnectOptions> = {}): Promise<AskingServer> {
  const received: Message[] = [];
  const streams = new Map<string, ServerResponse>();
  let say: ((message: object) => void) | undefined;
  const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
  const results: { readonly [method: string]: object } = {
    initialize: HANDSHAKE,
    "tools/list": { tools: [] },
    ping: {},
  };
  /** The answer to what is no call; the server is an honest one of the legacy era. */
  const answerTo = ({ id, method }: Message) => {
    if (id === undefined || method === undefined || method === "tools/call") return undefined;
    const result = results[method];
    return { jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "No" } }) };
  };
  const overHttp = (): Promise<ResolvedServer> =>
    startHttpServer(({ request, response, message, status }) => {
      if (request.method === "GET" && way !== "own stream") {
        say = (sent) => void response.write(event(sent));
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(way === "sse" ? "event: endpoint\ndata: /post\n\n" : ": open\n\n");
        return true;
      }
      if (request.method !== "POST") return undefined;
      received.push(message);
      const answer = answerTo(message);
      if (way === "sse") {
        response.writeHead(202).end();
        if (answer) say?.(answer);
      } else if (answer) status(200, { "content-type": "application/json" }, JSON.stringify(answer));
      else if (message.method !== "tools/call") status(202);
      else {
        streams.set(message.params.arguments.who, response);
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      }
      return true;
    }).then((server) => ({ ...server, transport: way === "sse" ? "sse" : "http" }));
  const inProcess = (): ResolvedServer => {
    const server: InProcessServer = {
      async connect(transport: Parameters<InProcessServer["connect"]>[0]) {
        const theirs = transport as unknown as {
          onmessage: (message: Message) => void;
          send(message: object): Promise<void>;
          start(): Promise<void>;
        };
        say = (message) => void theirs.send({ jsonrpc: "2.0", ...message });
        theirs.onmessage = (message) => {
          received.push(message);
          const answer = answerTo(message);
          if (answer) say?.(answer);
        };
        await theirs.start();
      },
    };
    return { transport: "in-process", name: "remote", secrets: [], server };
  };
  const session = await connect(way === "in-process" ? inProcess() : await overHttp(), options);
  if (way !== "own stream") await vi.waitUntil(() => say !== undefined);
  const callOf = (who: string) =>
    received.find(({ method, params }) => method === "tools/call" && params.arguments.who === who);
  const send: AskingServer["send"] = (message, on) => {
    if (way === "own stream" && on !== undefined) streams.get(on)?.write(event(message));
    else say?.(message);
  };
  return {
    session,
    received,
    send,
    arrived: (who) => vi.waitUntil(() => callOf(who), { timeout: 10_000 }),
    answer(who) {
      const message = { id: callOf(who).id, result: { content: [] } };
      if (way !== "standing stream") send(message, who);
      else streams.get(who)?.end(event(message));
    },
    reply: (id) =>
      vi.waitUntil(() => received.find((message) => message.id === id && message.method === undefined), {
        timeout: 10_000,
      }),
  };
}

/** Calls for somebody, whose handler accepts with their name. */
function caller(server: AskingServer, who: string, options: SessionRequestOptions = {}) {
  const contexts: ServerRequestContext[] = [];
  const elicit = vi.fn<NonNullable<HostHandlers["elicit"]>>(async (_, context) => {
    contexts.push(context);
    return { action: "accept", content: { word: who } };
  });
  const call = { name: "tool", arguments: { who } };
  const request = { handlers: { elicit }, principal: who, ...options };
  const answered = server.session.request("tools/call", call, request);
  answered.catch(() => {});
  return { elicit, contexts, answered };
}

/** The runtime's own handlers. */
function runtimeHandlers() {
  const contexts: ServerRequestContext[] = [];
  const elicit = vi.fn<NonNullable<HostHandlers["elicit"]>>(async (_, context) => {
    contexts.push(context);
    return { action: "accept", content: { word: "runtime" } };
  });
  const handlers: HostHandlers = { elicit, sample: async () => SAMPLED, roots: async () => ROOTS };
  return { elicit, contexts, handlers };
}

const accepted = (who: string) => ({ result: { action: "accept", content: { word: who } } });
const DECLINED = { result: { action: "decline" } };

describe("over HTTP, a question on the stream of a call", () => {
  test("reaches that call's handlers, whichever call came last, and says which call it is", async () => {
    const { handlers, elicit } = runtimeHandlers();
    const server = await connectTo("own stream", { handlers });
    const ann = caller(server, "ann", { meta: { ticket: 7 } });
    await server.arrived("ann");
    const bob = caller(server, "bob");
    await server.arrived("bob");
    server.send(ask("a"), "ann");
    expect(await server.reply("a")).toMatchObject(accepted("ann"));
    server.send(ask("b"), "bob");
    expect(await server.reply("b")).toMatchObject(accepted("bob"));
    expect(ann.elicit).toHaveBeenCalledOnce();
    expect(bob.elicit).toHaveBeenCalledOnce();
    expect(elicit).not.toHaveBeenCalled();
    const call = { method: "tools/call", tool: "tool", meta: { ticket: 7 }, principal: "ann" };
    expect(ann.contexts[0]).toMatchObject({ server: "remote", principal: "ann", call });
  });

  test("reaches its own call's handlers even if it names another call", async () => {
    const server = await connectTo("own stream", { handlers: runtimeHandlers().handlers });
    const ann = caller(server, "ann");
    await server.arrived("ann");
    const bob = caller(server, "bob");
    const { id } = await server.arrived("bob");
    const { params, ...question } = ask("a");
    const _meta = { progressToken: id, "io.modelcontextprotocol/related-task": { taskId: String(id) } };
    server.send({ ...question, params: { ...params, _meta } }, "ann");
    expect(await server.reply("a")).toMatchObject(accepted("ann"));
    expect([ann.elicit.mock.calls.length, bob.elicit.mock.calls.length]).toEqual([1, 0]);
  });

  test("is answered with its own call's handlers if two questions have the same id", async () => {
    const server = await connectTo("own stream", { handlers: runtimeHandlers().handlers });
    const callers = ["ann", "bob"].map((who) => caller(server, who));
    await Promise.all([server.arrived("ann"), server.arrived("bob")]);
    server.send(ask("q"), "ann");
    server.send({ ...ask("q"), params: { message: "For Bob", requestedSchema: FORM } }, "bob");
    await vi.waitUntil(() => server.received.filter(({ id }) => id === "q").length === 2);
    const asked = callers.map(({ elicit }) => elicit.mock.calls.map(([{ message }]) => message));
    expect(asked).toEqual([["Question q"], ["For Bob"]]);
  });

  test.each(["elicit", "sample", "roots"] as const)(
    "goes to the runtime's handler if its call has none for it: %s",
    async (name) => {
      const runtime = runtimeHandlers();
      const server = await connectTo("own stream", { handlers: runtime.handlers });
      caller(server, "ann", { handlers: {} });
      const bob = caller(server, "bob", {
        handlers: { sample: vi.fn(), roots: vi.fn(), elicit: vi.fn() },
      });
      await Promise.all([server.arrived("ann"), server.arrived("bob")]);
      const methods = {
        elicit: "elicitation/create",
        sample: "sampling/createMessage",
        roots: "roots/list",
      };
      server.send(ask("a", methods[name]), "ann");
      const results = { elicit: accepted("runtime").result, sample: SAMPLED, roots: { roots: ROOTS } };
      expect(await server.reply("a")).toMatchObject({ result: results[name] });
      expect(bob.contexts).toEqual([]);
    },
  );

  test("that comes after the call's answer is declined, and reaches nobody", async () => {
    const runtime = runtimeHandlers();
    const server = await connectTo("own stream", { handlers: runtime.handlers });
    const ann = caller(server, "ann", { handlers: {} });
    await server.arrived("ann");
    const bob = caller(server, "bob");
    await server.arrived("bob");
    server.answer("ann");
    await ann.answered;
    server.send(ask("late"), "ann");
    expect(await server.reply("late")).toMatchObject(DECLINED);
    expect(bob.elicit).not.toHaveBeenCalled();
    expect(runtime.elicit).not.toHaveBeenCalled();
  });

  test("is declined at once when its call is aborted, and its handler is told", async () => {
    const server = await connectTo("own stream", { handlers: runtimeHandlers().handlers });
    const abort = new AbortController();
    const asked = Promise.withResolvers<AbortSignal>();
    const never: HostHandlers["elicit"] = (_, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    };
    const ann = caller(server, "ann", { handlers: { elicit: never }, signal: abort.signal });
    await server.arrived("ann");
    const bob = caller(server, "bob");
    await server.arrived("bob");
    server.send(ask("a"), "ann");
    const signal = await asked.promise;
    abort.abort();
    expect(await failureOf(ann.answered)).toMatchObject({ code: "MCP_ABORTED" });
    expect(await server.reply("a")).toMatchObject(DECLINED);
    expect(signal.aborted).toBe(true);
    expect(bob.elicit).not.toHaveBeenCalled();
  });

  test("keeps its call when the stream broke off and was resumed", async () => {
    const resumed = Promise.withResolvers<ServerResponse>();
    const replies: Message[] = [];
    const calls: Message[] = [];
    const remote = await startHttpServer(({ request, response, message }) => {
      if (request.method === "GET" && request.headers["last-event-id"] === "ann-1") {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        resumed.resolve(response);
        return true;
      }
      if (message?.id === "a") replies.push(message);
      if (message?.method !== "tools/call") return undefined;
      calls.push(message);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (message.params.arguments.who === "ann") response.end("retry: 1\nid: ann-1\ndata:\n\n");
      else response.flushHeaders();
      return true;
    });
    const session = await connect(remote, { handlers: runtimeHandlers().handlers });
    const server = { session } as AskingServer;
    const ann = caller(server, "ann");
    const stream = await resumed.promise;
    const bob = caller(server, "bob");
    await vi.waitUntil(() => calls.length === 2);
    stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...ask("a") })}\n\n`);
    await vi.waitUntil(() => replies.length === 1);
    expect(replies[0]).toMatchObject(accepted("ann"));
    expect([ann.elicit.mock.calls.length, bob.elicit.mock.calls.length]).toEqual([1, 0]);
  });

  test("in one batch with another reaches its call's handlers", async () => {
    const replies: Message[] = [];
    const remote = await startHttpServer(({ response, message }) => {
      if (message?.id === "x" || message?.id === "y") replies.push(message);
      if (message?.method !== "tools/call") return undefined;
      const batch = [ask("x"), ask("y")].map((question) => ({ jsonrpc: "2.0", ...question }));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(batch)}\n\n`);
      return true;
    });
    const session = await connect(remote, { handlers: runtimeHandlers().handlers });
    const ann = caller({ session } as AskingServer, "ann");
    const bob = caller({ session } as AskingServer, "bob");
    await vi.waitUntil(() => replies.length === 4);
    expect(ann.elicit).toHaveBeenCalledTimes(2);
    expect(bob.elicit).toHaveBeenCalledTimes(2);
  });

  test.each(["tools/list", "ping"] as const)(
    "of the runtime's own %s goes to the runtime's handlers",
    async (method) => {
      const runtime = runtimeHandlers();
      const replies: Message[] = [];
      const remote = await startHttpServer(({ response, message }) => {
        if (message?.id === "own") replies.push(message);
        if (message?.method !== "tools/call" && message?.method !== method) return undefined;
        response.writeHead(200, { "content-type": "text/event-stream" });
        const result = method === "ping" ? {} : { tools: [] };
        const events = [ask("own"), { id: message.id, result }];
        if (message.method === "tools/call") response.flushHeaders();
        else
          response.end(
            events.map((sent) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...sent })}\n\n`).join(""),
          );
        return true;
      });
      const session = await connect(remote, { handlers: runtime.handlers });
      const ann = caller({ session } as AskingServer, "ann");
      await vi.waitUntil(() => remote.log.some(({ what }) => what === "POST tools/call"));
      if (method === "ping") await session.request("ping", undefined);
      else await session.list("tools", { signal: new AbortController().signal });
      await vi.waitUntil(() => replies.length === 1);
      expect(replies[0]).toMatchObject(accepted("runtime"));
      expect(runtime.contexts[0]).toMatchObject({ principal: undefined, call: undefined });
      expect(ann.elicit).not.toHaveBeenCalled();
    },
  );

  test("of the handshake goes to the runtime's handlers, also while calls are pending", async () => {
    const runtime = runtimeHandlers();
    const replies: Message[] = [];
    const streams: ServerResponse[] = [];
    const write = (response: ServerResponse | undefined, message: object) =>
      response?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    const remote = await startHttpServer(({ response, message }) => {
      if (message?.id === "early" || message?.id === "late") replies.push(message);
      if (message?.method !== "initialize" && message?.method !== "tools/call") return undefined;
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      streams.push(response);
      if (message.method === "tools/call") write(streams[0], ask("late"));
      else {
        write(response, ask("early"));
        write(response, { id: message.id, result: HANDSHAKE });
      }
      return true;
    });
    const session = await connect(remote, { handlers: runtime.handlers });
    const ann = caller({ session } as AskingServer, "ann");
    await vi.waitUntil(() => replies.length === 2);
    expect(replies).toMatchObject([accepted("runtime"), accepted("runtime")]);
    expect(ann.elicit).not.toHaveBeenCalled();
  });

  test.each([
    ["after", false],
    ["during", true],
  ])(
    "of a session that was renewed gets no answer in the new one, where its id may mean another: answered %s the renewal",
    async (_, isDuring) => {
      let session = 0;
      const mayRenew = Promise.withResolvers<void>();
      if (!isDuring) mayRenew.resolve();
      const calls: { readonly session: unknown; readonly response: ServerResponse; readonly who: string }[] =
        [];
      const replies: Message[] = [];
      const question = `data: ${JSON.stringify({ jsonrpc: "2.0", ...ask("q") })}\n\n`;
      const remote = await startHttpServer(({ request, response, message, answer, status }) => {
        const claimed = request.headers["mcp-session-id"];
        if (message?.method === "initialize") {
          session += 1;
          const begin = () => answer(HANDSHAKE, { "mcp-session-id": `s${session}` });
          if (session === 1) begin();
          else mayRenew.promise.then(begin);
          return true;
        }
        if (message?.id === "q") replies.push({ ...message, claimed });
        if (message?.method !== "tools/call") return undefined;
        const { who } = message.params.arguments;
        // The session is lost when Bob calls.
        if (who === "bob" && claimed === "s1") status(404);
        else {
          calls.push({ session: claimed, response, who });
          response.writeHead(200, { "content-type": "text/event-stream" }).write(question);
        }
        return true;
      });
      const client = await connect(remote, { handlers: runtimeHandlers().handlers });
      const server = { session: client } as AskingServer;
      const answers = { ann: Promise.withResolvers<void>(), bob: Promise.withResolvers<void>() };
      const asked: string[] = [];
      const elicit = (who: "ann" | "bob") => async () => {
        asked.push(who);
        await answers[who].promise;
        return { action: "accept", content: { word: who } } as const;
      };
      caller(server, "ann", { handlers: { elicit: elicit("ann") } });
      await vi.waitUntil(() => asked.length === 1);
      caller(server, "bob", { handlers: { elicit: elicit("bob") } });
      await vi.waitUntil(() => (isDuring ? session : asked.length) === 2);
      answers.ann.resolve();
      await new Promise(setImmediate);
      mayRenew.resolve();
      await vi.waitUntil(() => asked.length === 2);
      answers.bob.resolve();
      await vi.waitUntil(() => replies.length > 0);
      expect(replies).toMatchObject([{ claimed: "s2", ...accepted("bob") }]);
    },
  );
});

describe.each(SHARED_WAYS)("a question on a stream that all calls share (%s)", (way) => {
  test("reaches nobody while calls of several users are pending", async () => {
    const runtime = runtimeHandlers();
    const log = vi.fn();
    const server = await connectTo(way, { handlers: runtime.handlers, log });
    const ann = caller(server, "ann");
    await server.arrived("ann");
    const bob = caller(server, "bob");
    await server.arrived("bob");
    server.send(ask("a"));
    expect(await server.reply("a")).toMatchObject(DECLINED);
    server.send(ask("model", "sampling/createMessage"));
    server.send({ id: "roots", method: "roots/list" });
    // Both have the runtime's own handler for these, but not the same user.
    expect(await server.reply("model")).toMatchObject({ error: { code: -32603 } });
    expect(await server.reply("roots")).toMatchObject({ error: { code: -32603 } });
    for (const { elicit } of [ann, bob, runtime]) expect(elicit).not.toHaveBeenCalled();
    const fields = { server: "remote", method: "elicitation/create" };
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("declined"), fields);
  });

  test("reaches nobody while calls of one user with different handlers are pending", async () => {
    const server = await connectTo(way, { handlers: runtimeHandlers().handlers });
    const [one, other] = ["one", "other"].map((who) => caller(server, who, { principal: undefined }));
    await Promise.all([server.arrived("one"), server.arrived("other")]);
    server.send(ask("a"));
    expect(await server.reply("a")).toMatchObject(DECLINED);
    for (const each of [one, other]) expect(each?.elicit).not.toHaveBeenCalled();
  });

  test("reaches the one handler of all pending calls of one user, and names a call only if it is alone", async () => {
    const server = await connectTo(way, { handlers: runtimeHandlers().handlers });
    const first = caller(server, "first", { principal: "ann" });
    await server.arrived("first");
    server.send(ask("alone"));
    expect(await server.reply("alone")).toMatchObject(accepted("first"));
    expect(first.contexts[0]?.call).toMatchObject({ tool: "tool", principal: "ann" });
    caller(server, "second", { principal: "ann", handlers: { elicit: first.elicit } });
    await server.arrived("second");
    server.send(ask("both"));
    expect(await server.reply("both")).toMatchObject(accepted("first"));
    expect(first.contexts[1]).toMatchObject({ principal: "ann", call: undefined });
  });

  test("goes to the runtime's handlers, for the user of the session, while no call is pending", async () => {
    const runtime = runtimeHandlers();
    const server = await connectTo(way, { handlers: runtime.handlers, principal: "ann" });
    server.send(ask("a"));
    expect(await server.reply("a")).toMatchObject(accepted("runtime"));
    expect(runtime.contexts[0]).toMatchObject({ principal: "ann", call: undefined });
  });

  test("is declined after a call was aborted whose question it may be", async () => {
    const runtime = runtimeHandlers();
    const server = await connectTo(way, { handlers: runtime.handlers });
    const abort = new AbortController();
    const ann = caller(server, "ann", { signal: abort.signal });
    await server.arrived("ann");
    const bob = caller(server, "bob");
    await server.arrived("bob");
    abort.abort();
    await failureOf(ann.answered);
    server.send(ask("a"));
    expect(await server.reply("a")).toMatchObject(DECLINED);
    server.answer("bob");
    await bob.answered;
    server.send(ask("b"));
    expect(await server.reply("b")).toMatchObject(DECLINED);
    for (const { elicit } of [ann, bob, runtime]) expect(elicit).not.toHaveBeenCalled();
  });

  test("is declined when its call ends before the answer, and the next call's handlers get no part of it", async () => {
    const server = await connectTo(way, { handlers: runtimeHandlers().handlers });
    const asked = Promise.withResolvers<AbortSignal>();
    const never: HostHandlers["elicit"] = (_, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    };
    const ann = caller(server, "ann", { handlers: { elicit: never } });
    await server.arrived("ann");
    server.send(ask("a"));
    const signal = await asked.promise;
    const bob = caller(server, "bob");
    await server.arrived("bob");
    server.answer("ann");
    await ann.answered;
    expect(await server.reply("a")).toMatchObject(DECLINED);
    expect(signal.aborted).toBe(true);
    server.send(ask("b"));
    expect(await server.reply("b")).toMatchObject(accepted("bob"));
    expect(bob.elicit).toHaveBeenCalledOnce();
  });

  test("asked 1,000 times at once reaches nobody while calls of several users are pending", async () => {
    const runtime = runtimeHandlers();
    const server = await connectTo(way, { handlers: runtime.handlers });
    const callers = ["ann", "bob"].map((who) => caller(server, who));
    await Promise.all([server.arrived("ann"), server.arrived("bob")]);
    server.send(ask("first"));
    await server.reply("first"); // From now on questions are not kept until the SDK is loaded.
    for (let n = 0; n < 1000; n += 1) server.send(ask(`q${n}`));
    const replies = () => server.received.filter(({ id }) => String(id).startsWith("q"));
    await vi.waitUntil(() => replies().length === 1000, { timeout: 50_000 });
    expect(replies().every(({ result }) => result?.action === "decline")).toBe(true);
    for (const { elicit } of [...callers, runtime]) expect(elicit).not.toHaveBeenCalled();
  });
});

test("a question of a local server reaches nobody while calls of several users are pending", async () => {
  const local = scriptedServer((message, { send }) => {
    const state = globalThis as { calls?: (number | string | undefined)[] };
    state.calls ??= [];
    if (message.method === "tools/call") {
      state.calls.push(message.id);
      const params = { message: "Whose?", requestedSchema: { type: "object", properties: {} } };
      if (state.calls.length === 2) send({ id: "question", method: "elicitation/create", params });
      return true;
    }
    if (message.id !== "question") return undefined;
    for (const id of state.calls) send({ id, result: { content: [], structuredContent: message.result } });
    return true;
  });
  const session = await connect(local, { handlers: runtimeHandlers().handlers });
  const callers = ["ann", "bob"].map((who) => caller({ session } as AskingServer, who));
  for (const { answered, elicit } of callers) {
    expect((await answered).structuredContent).toEqual({ action: "decline" });
    expect(elicit).not.toHaveBeenCalled();
  }
});

test("a question within the answer of a modern server reaches the handlers of its call alone", async () => {
  const modern = scriptedServer(
    (message, { send, answer }) => {
      const state = globalThis as { waiting?: object[] };
      if (message.method !== "tools/call") return undefined;
      const { inputResponses, requestState } = message.params;
      if (requestState === "2") {
        answer({ content: [], structuredContent: inputResponses });
        return true;
      }
      const params = { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } };
      const inputRequests = { q: { method: "elicitation/create", params } };
      const result = { resultType: "input_required", inputRequests, requestState: requestState ? "2" : "1" };
      // Both rounds of both calls are asked once both calls are there.
      state.waiting = [...(state.waiting ?? []), { id: message.id, result }];
      if (state.waiting.length < 2) return true;
      for (const asked of state.waiting) send(asked);
      state.waiting = [];
      return true;
    },
    { isModern: true, capabilities: { tools: {} } },
  );
  const session = await connect(modern, { handlers: runtimeHandlers().handlers });
  const callers = ["ann", "bob"].map((who) => ({ who, ...caller({ session } as AskingServer, who) }));
  for (const { who, answered, elicit, contexts } of callers) {
    expect((await answered).structuredContent).toEqual({ q: accepted(who).result });
    expect(elicit).toHaveBeenCalledTimes(2);
    for (const context of contexts) expect(context.call).toMatchObject({ tool: "tool", principal: who });
  }
});

test("while a question is open, only the requests that may wait for its answer are given more time", async () => {
  const server = await connectTo("own stream", { handlers: runtimeHandlers().handlers });
  const asked = Promise.withResolvers<void>();
  const never: HostHandlers["elicit"] = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const limits = { timeoutMs: 1000, maxTotalMs: 0 };
    const ann = caller(server, "ann", { handlers: { elicit: never }, ...limits });
    const bob = caller(server, "bob", limits);
    await Promise.all([server.arrived("ann"), server.arrived("bob")]);
    server.send(ask("a"), "ann");
    await asked.promise;
    vi.advanceTimersByTime(10_000);
    expect(await failureOf(bob.answered)).toMatchObject({ outcome: "unknown" });
    server.answer("ann");
    expect(await ann.answered).toMatchObject({ content: [] });
  } finally {
    vi.useRealTimers();
  }
});
