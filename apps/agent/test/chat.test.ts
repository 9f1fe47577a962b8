import { once } from "node:events";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { type Mcp, openMcp } from "jackfield";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runChat } from "../src/chat.ts";
import type { AgentFramework } from "../src/frameworks/agent-framework.ts";
import { watchServers } from "../src/server-news.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTypist, type Typist } from "./fixtures/typist.ts";

useLeakCheck();

const LONG_MS = 60_000;
const style = terminalStyle({ isTTY: false }, {});

let runtime: Mcp;

beforeEach(async () => {
  runtime = await openMcp({ cache: false, discover: false });
});

afterEach(() => runtime.close());

function chat(typist: Typist, ask: AgentFramework["ask"], signal = new AbortController().signal) {
  return runChat({ terminal: typist.terminal, framework: { ask }, runtime, style, signal });
}

/** Never answers; rejects when it is aborted. */
const askForever: AgentFramework["ask"] = (_text, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });

const say =
  (...pieces: string[]): AgentFramework["ask"] =>
  async (_text, { print }) => {
    for (const piece of pieces) print?.(piece);
    return { text: pieces.join(""), calls: [] };
  };

describe("the chat", () => {
  it("streams an answer, and ends with /quit", async () => {
    const typist = createTypist();
    const rest = Promise.withResolvers<void>();
    const asked: string[] = [];
    const done = chat(typist, async (text, { print }) => {
      asked.push(text);
      print?.("Here ");
      await rest.promise;
      print?.("it is.");
      return { text: "Here it is.", calls: [] };
    });
    typist.enter("  get it ");
    await typist.screen.waitFor("Here ");
    rest.resolve();
    await typist.screen.waitFor("it is.\n");
    typist.enter("");
    typist.enter("/quit");
    await done;
    expect(asked).toEqual(["get it"]);
  });

  it("runs lines that begin with / as commands, not as questions", async () => {
    const typist = createTypist();
    const done = chat(typist, () => Promise.reject(new Error("asked")));
    typist.enter("/sing");
    await typist.screen.waitFor("There is no such command; see /help.");
    typist.enter("/help");
    await typist.screen.waitFor("/mcp reload");
    typist.enter("/mcp reconnect nobody");
    await typist.screen.waitFor("MCP_SERVER_UNKNOWN");
    typist.pressCtrlC();
    await done;
    expect(typist.screen.text).not.toContain("asked");
  });

  it("stops an answer at Ctrl+C, and continues", async () => {
    const typist = createTypist();
    const asking = Promise.withResolvers<void>();
    const done = chat(typist, (text, options) => {
      if (text !== "forever") return say(`You said ${text}.`)(text, options);
      asking.resolve();
      return askForever(text, options);
    });
    typist.enter("forever");
    await asking.promise;
    typist.pressCtrlC();
    await typist.screen.waitFor("(stopped)");
    typist.enter("hello");
    await typist.screen.waitFor("You said hello.\n");
    await typist.screen.waitFor("> ");
    typist.pressCtrlC();
    await done;
  });

  it("ends at a second Ctrl+C, even if the answer does not stop", async () => {
    const typist = createTypist();
    const asking = Promise.withResolvers<AbortSignal>();
    const done = chat(typist, (_text, { signal }) => {
      asking.resolve(signal);
      return new Promise(() => {});
    });
    typist.enter("forever");
    const signal = await asking.promise;
    const aborted = once(signal, "abort");
    typist.pressCtrlC();
    await aborted;
    typist.pressCtrlC();
    await done;
  });

  it("prints the error of an answer that fails", async () => {
    const typist = createTypist();
    const done = chat(typist, () => Promise.reject(new Error("The model is out.")));
    typist.enter("hello");
    await typist.screen.waitFor("The model is out.");
    typist.hangUp();
    await done;
  });

  it("ends when the program is aborted, even during an answer", async () => {
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

  it("removes control characters of a model, even when split over pieces", async () => {
    const typist = createTypist();
    const done = chat(typist, say("a\u001b", "]0;title\u0007b", "\u009b2Jc"));
    typist.enter("hello");
    await typist.screen.waitFor("a]0;titleb2Jc");
    typist.enter("/quit");
    await done;
  });

  it("reports a failing server without disturbing a half-typed line", {
    timeout: LONG_MS,
  }, async () => {
    const flaky = stdioFaultServer({ exitOn: "call" });
    const servers = { flaky: { ...flaky, env: { ...flaky.env } } };
    await using mcp = await openMcp({ cache: false, discover: false, servers });
    const typist = createTypist();
    const { terminal, screen } = typist;
    const signal = new AbortController().signal;
    const stopWatching = watchServers(mcp, terminal, style);
    const done = runChat({ terminal, framework: { ask: askForever }, runtime: mcp, style, signal });
    await screen.waitFor("> ");
    typist.type("half a li");
    await screen.waitFor("half a li");
    await expect(mcp.callTool("mcp__flaky__echo")).rejects.toMatchObject({ code: "MCP_OUTCOME_UNKNOWN" });
    await screen.waitFor("* flaky is disconnected (MCP_SERVER_EXITED");
    await screen.waitFor("> half a li");
    await screen.waitFor("* flaky is back");
    stopWatching();
    typist.pressCtrlC();
    await done;
  });
});
