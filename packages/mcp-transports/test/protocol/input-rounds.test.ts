import type { ElicitationRequest, HostHandlers } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";

const FORM = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which?",
    requestedSchema: { type: "object", properties: { a: { type: "string", default: "this" } } },
  },
};
const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 },
};
/** A text so odd that any change to it shows. */
const STATE = ' {"n":1.0,"ü":"\\u0000"}\t=?base64?';

/** Answers a call with input requests, as often as its arguments say, and then with the responses it got. */
const asking = (): ScriptedServer =>
  scriptedServer(
    (message, { send, answer }) => {
      if (message.method !== "tools/call") return undefined;
      const seen = globalThis as { calls?: number };
      seen.calls = (seen.calls ?? 0) + 1;
      const { arguments: args, inputResponses, requestState } = message.params;
      const result = { resultType: "input_required", inputRequests: args.ask, requestState: args.state };
      if (seen.calls <= args.times) send({ id: message.id, result });
      else answer({ content: [], structuredContent: { inputResponses, requestState } });
      return true;
    },
    { isModern: true, capabilities: { tools: {} } },
  );

const callsOf = (server: ScriptedServer) => server.received().filter(({ method }) => method === "tools/call");

async function ask(handlers: HostHandlers, args: object) {
  const server = asking();
  const session = await connect(server, { handlers });
  const answered = session.request("tools/call", { name: "ask", arguments: { state: STATE, ...args } });
  return { server, session, answered };
}

describe("input requests of a modern server", () => {
  test("are answered by their handlers, all in the next round", async () => {
    const elicitations: ElicitationRequest[] = [];
    const handlers: HostHandlers = {
      elicit: async (elicitation) => {
        elicitations.push(elicitation);
        return { action: "accept", content: {} };
      },
      sample: async () => ({ role: "assistant", model: "m", content: { type: "text", text: "hello" } }),
      roots: async () => [{ uri: "file:///work" }],
    };
    const url = { mode: "url", message: "Open it", url: "https://example.com/", elicitationId: "1" };
    const inputRequests = {
      form: FORM,
      url: { method: "elicitation/create", params: url },
      model: SAMPLE,
      roots: { method: "roots/list" },
    };
    const { answered } = await ask(handlers, { times: 1, ask: inputRequests });
    const { structuredContent } = await answered;
    expect(structuredContent).toMatchObject({
      inputResponses: {
        form: { action: "accept", content: { a: "this" } },
        url: { action: "accept" },
        model: { model: "m" },
        roots: { roots: [{ uri: "file:///work" }] },
      },
    });
    expect(elicitations.map(({ mode }) => mode).sort()).toEqual(["form", "url"]);
  });

  test("are answered with the request state untouched and a new id each round", async () => {
    const elicit = async () => ({ action: "decline" }) as const;
    const { server, answered } = await ask({ elicit }, { times: 3, ask: { q: FORM } });
    expect((await answered).structuredContent).toMatchObject({ requestState: STATE });
    const calls = callsOf(server);
    expect(calls.map(({ params }) => params.requestState)).toEqual([undefined, STATE, STATE, STATE]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    expect(calls.map(({ params }) => params.arguments)).toEqual(Array(4).fill(calls[0]?.params.arguments));
  });

  test("[T68] fail the call after five rounds", async () => {
    const elicit = vi.fn(async () => ({ action: "decline" }) as const);
    const { server, answered } = await ask({ elicit }, { times: 1000, ask: { q: FORM } });
    expect(await failureOf(answered)).toMatchObject({ code: "MCP_LIMIT_EXCEEDED" });
    expect(callsOf(server)).toHaveLength(6);
    expect(elicit).toHaveBeenCalledTimes(5);
  });

  test.each(["handlers", "return"] as const)(
    "[T68] fail the call if the request state exceeds 64 KiB: %s",
    async (inputRequired) => {
      const elicit = vi.fn(async () => ({ action: "decline" }) as const);
      const { server, session, answered } = await ask({ elicit }, { times: 0 });
      await answered;
      const askWith = (length: number) =>
        session.request(
          "tools/call",
          { name: "ask", arguments: { times: 9, ask: { q: FORM }, state: "s".repeat(length) } },
          { inputRequired },
        );
      const error = await failureOf(askWith(64 * 1024 + 1));
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown", tool: "ask" });
      expect(error.message).toContain("65536 characters");
      expect(callsOf(server)).toHaveLength(2);
      expect(elicit).not.toHaveBeenCalled();
      if (inputRequired === "return") expect(await askWith(64 * 1024)).toHaveProperty("requestState");
    },
  );

  test("without a handler fail the call and name the missing method", async () => {
    const { server, session, answered } = await ask({}, { times: 1, ask: { q: FORM } });
    const error = await failureOf(answered);
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", outcome: "rejected", tool: "ask" });
    expect(error.message).toContain("asked the host for input before it answered");
    expect(error.message).toContain("elicitation/create");
    expect(callsOf(server)).toHaveLength(1);
    const again = await session.request("tools/call", { name: "ask", arguments: { times: 0 } });
    expect(again.structuredContent).toEqual({});
  });

  test("[N21] whose handler throws fail the call with the handler's code, not its message", async () => {
    const elicit = async () => {
      throw Object.assign(new Error("the host's database password is wrong"), { code: -32042 });
    };
    const { server, answered } = await ask({ elicit }, { times: 1, ask: { q: FORM } });
    const error = await failureOf(answered);
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", rpcCode: -32042, outcome: "rejected" });
    expect(error.message).toContain("the host's handler");
    expect(error.message).not.toContain("password");
    expect(callsOf(server)).toHaveLength(1);
  });
});
