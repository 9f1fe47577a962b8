import { describe, expect, it } from "vitest";
import type { Turn } from "../src/conversation.ts";
import type { AgentFramework } from "../src/frameworks/agent-framework.ts";
import { playConversation } from "../src/scripted-run.ts";
import { terminalStyle } from "../src/terminal-style.ts";

const turns: readonly Turn[] = ["one", "two", "three"].map((say) => ({
  say,
  expect: { description: `it says ${say}`, holds: ({ text }) => text === say },
}));

async function play(ask: AgentFramework["ask"], signal = new AbortController().signal) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const style = terminalStyle({}, {});
  const wrong = await playConversation({ framework: { ask }, turns, style, signal, write });
  return { wrong, lines };
}

describe("a scripted run", () => {
  it("counts nothing if every answer is right", async () => {
    const { wrong, lines } = await play(async (text) => ({ text, calls: [] }));
    expect(wrong).toBe(0);
    expect(lines.at(-1)).toBe("All 3 answers were right.");
  });

  it("goes on after a wrong answer and after a failure, and counts both", async () => {
    const { wrong, lines } = await play(async (text) => {
      if (text === "one") throw new Error("The model is out.");
      return { text: "two", calls: [] };
    });
    expect(wrong).toBe(2);
    expect(lines).toContain("The model is out.");
    expect(lines).toContain("  WRONG, it should be: it says three");
    expect(lines.at(-1)).toBe("2 of 3 answers were wrong.");
  });

  it("ends when it is aborted", async () => {
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
