import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OfflineModel, startOfflineModel } from "../../src/offline-model/server.ts";
import { CHAT_TOOLS } from "../fixtures/demo-tools.ts";

const tools = CHAT_TOOLS.map((tool) => ({ type: "function", function: tool }));

interface Completion {
  readonly id: string;
  readonly choices: readonly [
    {
      readonly finish_reason: string;
      readonly message: {
        readonly content: string | null;
        readonly tool_calls: readonly [{ readonly function: { readonly arguments: string } }];
      };
    },
  ];
  readonly usage: { readonly [kind in "prompt_tokens" | "completion_tokens" | "total_tokens"]: number };
}

let model: OfflineModel;

beforeEach(async () => {
  model = await startOfflineModel();
});

afterEach(() => model.close());

function post(body: object | string): Promise<Response> {
  return fetch(`${model.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer whatever" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

function say(content: unknown, more: object = {}): Promise<Response> {
  return post({ model: "any", messages: [{ role: "user", content }], tools, ...more });
}

async function completion(response: Promise<Response>): Promise<Completion> {
  return (await response).json() as Promise<Completion>;
}

async function events(response: Response): Promise<string[]> {
  const text = await response.text();
  return text.split("\n\n").flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
}

describe("the offline model's endpoint", () => {
  it("listens on loopback and lists itself as a stand-in", async () => {
    expect(model.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const list = await (await fetch(`${model.baseUrl}/models`)).json();
    expect(list).toMatchObject({ object: "list", data: [{ id: "offline-stand-in", object: "model" }] });
  });

  it("answers with one tool call", async () => {
    const body = await completion(say('Read the text file with path "a.txt".'));
    expect(body).toMatchObject({ object: "chat.completion", model: "offline-stand-in" });
    expect(body.choices).toHaveLength(1);
    const [{ message, finish_reason }] = body.choices;
    expect(finish_reason).toBe("tool_calls");
    expect(message.tool_calls).toHaveLength(1);
    expect(message.tool_calls[0]).toMatchObject({
      type: "function",
      function: { name: "mcp__filesystem__read_text_file", arguments: '{"path":"a.txt"}' },
    });
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
  });

  it("streams a tool call in pieces, with usage last if requested", async () => {
    const response = await say('Echo the message "a rather long message, in several pieces"', {
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const sent = await events(response);
    expect(sent.pop()).toBe("[DONE]");
    const chunks = sent.map((event) => JSON.parse(event));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: "tool_calls" });
    const deltas = chunks.slice(0, -2).map((chunk) => chunk.choices[0].delta.tool_calls[0]);
    expect(deltas[0].function.name).toMatch(/__echo$/);
    expect(deltas.length).toBeGreaterThan(2);
    const args = deltas.map((delta) => delta.function.arguments).join("");
    expect(JSON.parse(args)).toEqual({ message: "a rather long message, in several pieces" });
  });

  it("streams text, without usage if not requested", async () => {
    const sent = await events(await say("Hello!", { stream: true }));
    expect(sent.pop()).toBe("[DONE]");
    const chunks = sent.map((event) => JSON.parse(event));
    expect(chunks.every((chunk) => chunk.choices.length === 1 && chunk.usage === undefined)).toBe(true);
    const text = chunks.map((chunk) => chunk.choices[0].delta.content ?? "").join("");
    expect(text).toContain("not a language model");
    expect(chunks.at(-1).choices[0].finish_reason).toBe("stop");
  });

  it("accepts content in parts", async () => {
    const parts = [
      { type: "text", text: "Echo the message" },
      { type: "text", text: '"hi"' },
    ];
    const body = await completion(say(parts));
    expect(body.choices[0].message.tool_calls[0].function.arguments).toBe('{"message":"hi"}');
  });

  it("repeats a tool's result, and introduces itself only the first time", async () => {
    const messages: object[] = [
      { role: "user", content: 'Echo the message "hi"' },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "tool", tool_call_id: "call_1", content: "Echo: hi" },
    ];
    const first = await completion(post({ messages, tools }));
    expect(first.choices[0].message.content).toMatch(/^\(This is offline-stand-in.*\)\nEcho: hi$/);
    const again = [...messages, first.choices[0].message, ...messages];
    const second = await completion(post({ messages: again, tools }));
    expect(second.choices[0].message.content).toBe("Echo: hi");
  });

  it("asks for values that the prompt lacks", async () => {
    const body = await completion(say('Write a file with path "a.txt"'));
    expect(body.choices[0].message.content).toContain('content "…"');
  });

  it("calls nothing without tools, or with tool_choice none", async () => {
    const prompt = 'Echo the message "hi"';
    for (const more of [{ tools: undefined }, { tool_choice: "none" }]) {
      const body = await completion(say(prompt, more));
      expect(body.choices[0].message.content).toContain("none are available");
    }
  });

  it("gives the same answer to the same conversation", async () => {
    const [one, two] = await Promise.all([1, 2].map(() => completion(say("Get the tiny image"))));
    expect(one?.choices).toEqual(two?.choices);
    expect(one?.id).not.toBe(two?.id);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no messages", "{}"],
    ["an empty conversation", { messages: [] }],
    ["a message without a role", { messages: [{ content: "hi" }] }],
    ["a tool without a name", { messages: [{ role: "user", content: "hi" }], tools: [{}] }],
  ])("refuses a body with %s", async (_title, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const error = { type: "invalid_request_error", message: expect.any(String) };
    expect(await response.json()).toMatchObject({ error });
  });

  it("answers 404 on other paths", async () => {
    const response = await fetch(`${model.baseUrl}/embeddings`, { method: "POST", body: "{}" });
    expect(response.status).toBe(404);
    await response.body?.cancel();
  });

  it("can be closed twice, and then answers no more", async () => {
    await Promise.all([model.close(), model.close()]);
    await expect(fetch(`${model.baseUrl}/models`)).rejects.toThrow();
  });
});
