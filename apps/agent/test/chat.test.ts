import type { ServerSnapshot, ToolDescriptor } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { type ChatRuntime, runChat } from "../src/chat.ts";
import type { AgentFramework } from "../src/frameworks/agent-framework.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTypist, type Typist } from "./fixtures/typist.ts";

const style = terminalStyle({ isTTY: false }, {});

const filesystem: ServerSnapshot = {
  name: "filesystem",
  status: "ready",
  transport: "stdio",
  since: 0,
  tools: 1,
  toolsFrom: "cache",
  calls: 0,
  failures: 0,
  definedIn: { scope: "explicit" },
};

function runtime(tools: readonly ToolDescriptor[] = []): ChatRuntime {
  return { tools: () => tools, servers: () => [filesystem], report: { tookMs: 5, blocked: [] } };
}

function chat(typist: Typist, ask: AgentFramework["ask"], signal = new AbortController().signal) {
  return runChat({ terminal: typist.terminal, framework: { ask }, runtime: runtime(), style, signal });
}

/** Never answers; rejects as soon as it is told to stop. */
const askForever: AgentFramework["ask"] = (_text, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });

describe("the chat", () => {
  it("prints the calls and the answer, and leaves with /quit", async () => {
    const typist = createTypist();
    const call = { name: "mcp__a__get", server: "a", tool: "get", ok: true, mediaTypes: ["image/png"] };
    const asked: string[] = [];
    const done = chat(typist, async (text) => {
      asked.push(text);
      return { text: "Here it is.", calls: [call, { ...call, ok: false, mediaTypes: [] }] };
    });
    typist.enter("  get it ");
    await typist.screen.waitFor("· mcp__a__get (image/png)");
    await typist.screen.waitFor("! mcp__a__get");
    await typist.screen.waitFor("Here it is.");
    typist.enter("");
    typist.enter("/quit");
    await done;
    expect(asked).toEqual(["get it"]);
  });

  it("shows servers and tools, and what else there is", async () => {
    const typist = createTypist();
    const source = createFakeToolSource([{ definition: { name: "echo" }, origin: "cache" }]);
    const done = runChat({
      terminal: typist.terminal,
      framework: { ask: askForever },
      runtime: runtime(source.tools()),
      style,
      signal: new AbortController().signal,
    });
    typist.enter("/tools");
    await typist.screen.waitFor("mcp__fake__echo cache");
    typist.enter("/servers");
    await typist.screen.waitFor("ready filesystem (stdio) 1 tools, from the cache");
    typist.enter("/sing");
    await typist.screen.waitFor("There are /tools, /servers and /quit.");
    typist.pressCtrlC();
    await done;
  });

  it("stops an answer with Ctrl+C, and goes on", async () => {
    const typist = createTypist();
    const asking = Promise.withResolvers<void>();
    const done = chat(typist, (text, options) => {
      if (text !== "forever") return Promise.resolve({ text: `You said ${text}.`, calls: [] });
      asking.resolve();
      return askForever(text, options);
    });
    typist.enter("forever");
    await asking.promise;
    typist.pressCtrlC();
    await typist.screen.waitFor("(stopped)");
    typist.enter("hello");
    await typist.screen.waitFor("You said hello.");
    typist.pressCtrlC();
    await done;
  });

  it("survives an answer that fails", async () => {
    const typist = createTypist();
    const done = chat(typist, () => Promise.reject(new Error("The model is out.")));
    typist.enter("hello");
    await typist.screen.waitFor("The model is out.");
    typist.hangUp();
    await done;
  });

  it("ends at once when the program is told to end, even during an answer", async () => {
    const typist = createTypist();
    const program = new AbortController();
    const done = chat(
      typist,
      (text, options) => {
        const answer = askForever(text, options);
        program.abort();
        return answer;
      },
      program.signal,
    );
    typist.enter("forever");
    await done;
    expect(typist.screen.text).toContain("(stopped)");
  });

  it("lets no control characters of a model through", async () => {
    const typist = createTypist();
    const done = chat(typist, async () => ({ text: "a\u001b]0;title\u0007b\u009b2Jc", calls: [] }));
    typist.enter("hello");
    await typist.screen.waitFor("a]0;titleb2Jc");
    typist.enter("/quit");
    await done;
  });
});
