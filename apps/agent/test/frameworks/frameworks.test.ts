import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { McpError } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
// Loaded here: to load a framework for the first time may take longer than a test may.
import "../../src/frameworks/ai-sdk.ts";
import "../../src/frameworks/langchain.ts";
import { FRAMEWORK_NAMES, loadFramework } from "../../src/frameworks/load-framework.ts";
import { type OfflineModel, startOfflineModel } from "../../src/offline-model/server.ts";
import { fakeDemoSource } from "../fixtures/demo-tools.ts";

const never = new AbortController().signal;
const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

let model: OfflineModel;

beforeEach(async () => {
  model = await startOfflineModel();
});

afterEach(() => model.close());

const settings = () => ({ baseUrl: model.baseUrl, apiKey: "none", model: "offline-stand-in" });

describe.each(FRAMEWORK_NAMES)("the agent on %s", (name) => {
  it("calls the tool that the model chose and returns its answer", async () => {
    const source = fakeDemoSource({ echo: ({ message }) => text(`Echo: ${message}`) });
    const agent = await loadFramework(name, source, settings());
    const answer = await agent.ask('Echo the message "hi"', { signal: never });
    expect(answer.text).toContain("Echo: hi");
    expect(answer.calls).toEqual([
      { name: "mcp__everything__echo", server: "everything", tool: "echo", ok: true, mediaTypes: [] },
    ]);
    expect(source.calls[0]?.args).toEqual({ message: "hi" });
    expect(source.calls[0]?.options.audience).toBe("model");
  });

  it("searches for the tool if it is told to, and knows it in the next turn", async () => {
    const source = fakeDemoSource({ echo: ({ message }) => text(`Echo: ${message}`) });
    const queries: string[] = [];
    const searchTools = (query: string) => {
      if (query !== "") queries.push(query); // The empty one only has the index built.
      return source.tools();
    };
    const searched = Object.assign(source, { searchTools });
    const agent = await loadFramework(name, searched, { ...settings(), search: true });
    for (const message of ["one", "two"]) {
      const answer = await agent.ask(`Echo the message "${message}"`, { signal: never });
      expect(answer.text).toContain(`Echo: ${message}`);
      expect(answer.calls).toMatchObject([{ name: "mcp__everything__echo", ok: true }]);
    }
    expect(queries).toEqual([expect.stringContaining("Echo the message")]);
  });

  it("streams the answer in pieces", async () => {
    const source = fakeDemoSource({ echo: ({ message }) => text(`Echo: ${message}`) });
    const agent = await loadFramework(name, source, settings());
    const pieces: string[] = [];
    const print = (piece: string) => void pieces.push(piece);
    const answer = await agent.ask('Echo the message "a rather long message, in several pieces"', {
      signal: never,
      print,
    });
    expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(2);
    expect(pieces.join("")).toBe(answer.text);
  });

  it("remembers earlier turns", async () => {
    const source = fakeDemoSource({ echo: ({ message }) => text(`Echo: ${message}`) });
    const agent = await loadFramework(name, source, settings());
    const first = await agent.ask('Echo the message "one"', { signal: never });
    const second = await agent.ask('Echo the message "two"', { signal: never });
    expect(first.text).toContain("offline-stand-in");
    expect(second.text).toBe("Echo: two");
    expect(second.calls).toHaveLength(1);
  });

  it("names an image that the tool returned, since Chat Completions takes none", async () => {
    const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
    const source = fakeDemoSource({ "get-tiny-image": () => ({ content: [image] }) });
    const agent = await loadFramework(name, source, settings());
    const answer = await agent.ask("Get the tiny image.", { signal: never });
    expect(answer.text).toContain("[image: image/png, 8 bytes, not shown]");
    expect(answer.calls[0]?.mediaTypes).toEqual(["image/png"]);
  });

  it.each([
    ["a tool that returns an error", () => ({ ...text("Access denied"), isError: true }), "Access denied"],
    [
      "a tool call that fails",
      () => {
        throw new McpError("MCP_CONNECT_FAILED", "The server does not answer.");
      },
      "The server does not answer.",
    ],
  ])("survives %s", async (_title, fail, said) => {
    const source = fakeDemoSource({ read_text_file: fail, echo: ({ message }) => text(String(message)) });
    const agent = await loadFramework(name, source, settings());
    const answer = await agent.ask('Read the text file with path "a.txt".', { signal: never });
    expect(answer.text).toContain(said);
    expect(answer.calls).toMatchObject([{ tool: "read_text_file", ok: false }]);
    const next = await agent.ask('Echo the message "still here"', { signal: never });
    expect(next.text).toBe("still here");
  });

  it("uses tools that were added after it was created", async () => {
    const source = createFakeToolSource([]);
    const agent = await loadFramework(name, source, settings());
    const before = await agent.ask('Echo the message "hi"', { signal: never });
    expect(before.text).toContain("none are available");
    source.replaceTools([{ definition: { name: "echo" }, call: () => text("late, but here") }]);
    const after = await agent.ask('Echo the message "hi"', { signal: never });
    expect(after.text).toBe("late, but here");
  });

  it("stops when aborted, and forgets the turn", async () => {
    const turn = new AbortController();
    const source = fakeDemoSource({
      "trigger-long-running-operation": (_args, { signal }) => {
        turn.abort();
        return new Promise((_resolve, reject) => {
          if (signal?.aborted) reject(new McpError("MCP_ABORTED", "The caller gave up."));
        });
      },
      echo: ({ message }) => text(String(message)),
    });
    const agent = await loadFramework(name, source, settings());
    const asked = agent.ask("Trigger the long running operation.", { signal: turn.signal });
    await expect(asked).rejects.toThrow();
    const next = await agent.ask('Echo the message "hi"', { signal: never });
    expect(next.text).toMatch(/^\(This is offline-stand-in.*\)\nhi$/);
    expect(next.calls).toHaveLength(1);
  });

  it("stops a model after 8 steps of tool calls", async () => {
    const source = fakeDemoSource({ echo: () => text("again") });
    const restless = await startRestlessModel();
    try {
      const agent = await loadFramework(name, source, { ...settings(), baseUrl: restless.baseUrl });
      await expect(agent.ask("go", { signal: never })).rejects.toThrow("more than 8 steps");
      expect(source.calls.length).toBeLessThanOrEqual(8);
    } finally {
      await restless.close();
    }
  });

  it("rejects with the model's host if the request to it fails", async () => {
    const agent = await loadFramework(name, createFakeToolSource([]), {
      ...settings(),
      baseUrl: `${model.baseUrl}/nowhere`,
      isBaseUrlGiven: true,
    });
    await expect(agent.ask("hi", { signal: never })).rejects.toThrow("nowhere/chat/completions");
    const { host } = new URL(model.baseUrl);
    await expect(agent.ask("hi", { signal: never })).rejects.toThrow(
      new RegExp(`^The model at ${host} refused \\(HTTP 404\\): .* or check OPENAI_BASE_URL\\.$`),
    );
  });
});

/** An endpoint that answers everything with a call of the same tool. */
async function startRestlessModel(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server: Server = createServer((_request, response) => {
    const call = { name: "mcp__everything__echo", arguments: '{"message":"again"}' };
    const delta = {
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }],
    };
    const chunk = { choices: [{ index: 0, delta, finish_reason: "tool_calls" }] };
    response.setHeader("content-type", "text/event-stream");
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  const close = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, close };
}
