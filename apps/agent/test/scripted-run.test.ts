import { describe, expect, it } from "vitest";
import type { Turn } from "../src/conversation.ts";
import type { AgentFramework } from "../src/frameworks/agent-framework.ts";
import { openScreen } from "../src/screen.ts";
import { playConversation } from "../src/scripted-run.ts";
import { terminalStyle } from "../src/terminal-style.ts";
import { createTextSink } from "./fixtures/text-sink.ts";

const turns: readonly Turn[] = ["one", "two", "three"].map((say) => ({
  say,
  expect: { description: `it says ${say}`, holds: ({ text }) => text === say },
}));

async function play(ask: AgentFramework["ask"], signal = new AbortController().signal) {
  const sink = createTextSink();
  const style = terminalStyle({}, {});
  const screen = openScreen(sink);
  const wrong = await playConversation({ framework: { ask }, turns, style, signal, screen });
  return { wrong, lines: sink.text.trimEnd().split("\n") };
}

describe("a scripted run", () => {
  it("counts no error if every answer is right", async () => {
    const { wrong, lines } = await play(async (text) => ({ text, calls: [] }));
    expect(wrong).toBe(0);
    expect(lines.at(-1)).toBe("All 3 answers were right.");
  });

  it("continues after a wrong answer and a failure, and counts both", async () => {
    const { wrong, lines } = await play(async (text) => {
      if (text === "one") throw new Error("The model is out.");
      return { text: "two", calls: [] };
    });
    expect(wrong).toBe(2);
    expect(lines).toContain("The model is out.");
    expect(lines).toContain("  WRONG, it should be: it says three");
    expect(lines.at(-1)).toBe("2 of 3 answers were wrong.");
  });

  it("streams an answer, and prints the verdict on its own line", async () => {
    const { lines } = await play(async (text, { print }) => {
      print?.("You said ");
      print?.(`${text}\u001b[2J.`);
      return { text, calls: [] };
    });
    expect(lines.slice(0, 3)).toEqual(["> one", "You said one[2J.", "  right: it says one"]);
  });

  it("rejects when it is aborted", async () => {
    const run = new AbortController();
    const asked: string[] = [];
    const playing = play(async (text) => {
      asked.push(text);
      run.abort();
      throw new Error("stopped");
    }, run.signal);
    await expect(playing).rejects.toMatchObject({ name: "AbortError" });
    expect(asked).toEqual(["one"]);
  });
});
