import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTypist, type Typist } from "./fixtures/typist.ts";

let typist: Typist;

beforeEach(() => {
  typist = createTypist();
});

afterEach(() => typist.terminal.close());

describe("the terminal", () => {
  it("gives lines in order, also those entered ahead", async () => {
    const first = typist.terminal.readLine("> ");
    typist.enter("one");
    typist.enter("two");
    expect(await first).toBe("one");
    expect(await typist.terminal.readLine("> ")).toBe("two");
  });

  it("ends at the end of the input", async () => {
    const line = typist.terminal.readLine("> ");
    typist.hangUp();
    expect(await line).toBeUndefined();
    expect(await typist.terminal.readLine("> ")).toBeUndefined();
  });

  it("ends with Ctrl+C at the prompt", async () => {
    const line = typist.terminal.readLine("> ");
    typist.pressCtrlC();
    expect(await line).toBeUndefined();
  });

  it("leaves Ctrl+C to whoever listens for it", async () => {
    const interrupted = new Promise<void>((resolve) => {
      const stop = typist.terminal.onInterrupt(() => {
        stop();
        resolve();
      });
    });
    typist.pressCtrlC();
    await interrupted;
    const line = typist.terminal.readLine("> ");
    typist.enter("still open");
    expect(await line).toBe("still open");
  });

  it("does not take a line for an answer that was entered before the question", async () => {
    const { signal } = new AbortController();
    const line = typist.terminal.readLine("> ");
    typist.enter("go");
    typist.enter("y");
    await line;
    const answer = typist.terminal.ask("Sure? ", { signal });
    await typist.screen.waitFor("Sure?");
    typist.enter("n");
    expect(await answer).toBe("n");
    expect(await typist.terminal.readLine("> ")).toBe("y");
  });

  it("gives a question up when its signal is aborted", async () => {
    const asking = new AbortController();
    const answer = typist.terminal.ask("Sure? ", { signal: asking.signal });
    asking.abort();
    expect(await answer).toBeUndefined();
    expect(await typist.terminal.ask("Sure? ", { signal: asking.signal })).toBeUndefined();
  });
});
