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

  it("ends at the end of input", async () => {
    const line = typist.terminal.readLine("> ");
    typist.hangUp();
    expect(await line).toBeUndefined();
    expect(await typist.terminal.readLine("> ")).toBeUndefined();
  });

  it("ends at Ctrl+C at the prompt", async () => {
    const line = typist.terminal.readLine("> ");
    typist.pressCtrlC();
    expect(await line).toBeUndefined();
  });

  it("passes Ctrl+C to its listener and stays open", async () => {
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

  it("does not take an earlier line as the answer to a question", async () => {
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

  it("drops a question when its signal is aborted", async () => {
    const asking = new AbortController();
    const answer = typist.terminal.ask("Sure? ", { signal: asking.signal });
    asking.abort();
    expect(await answer).toBeUndefined();
    expect(await typist.terminal.ask("Sure? ", { signal: asking.signal })).toBeUndefined();
  });

  it("asks one question after another", async () => {
    const { signal } = new AbortController();
    const first = typist.terminal.ask("First? ", { signal });
    const second = typist.terminal.ask("Second? ", { signal });
    await typist.screen.waitFor("First? ");
    expect(typist.screen.text).not.toContain("Second? ");
    typist.enter("one");
    expect(await first).toBe("one");
    await typist.screen.waitFor("Second? ");
    typist.enter("two");
    expect(await second).toBe("two");
  });

  it("writes above a line that is being typed, and redraws it", async () => {
    const line = typist.terminal.readLine("> ");
    typist.type("half");
    await typist.screen.waitFor("half");
    typist.terminal.write("news");
    await typist.screen.waitFor("news\n");
    await typist.screen.waitFor("> half");
    typist.enter(" and half");
    expect(await line).toBe("half and half");
  });

  it("starts a new line after printed text", async () => {
    typist.terminal.print("a piece");
    typist.terminal.write("a line");
    typist.terminal.print("another");
    const line = typist.terminal.readLine("> ");
    await typist.screen.waitFor("a piece\na line\nanother\n");
    typist.terminal.close();
    expect(await line).toBeUndefined();
  });

  it("holds back output while its streams are lent, and then redraws a begun line", async () => {
    const line = typist.terminal.readLine("> ");
    typist.type("half");
    await typist.screen.waitFor("half");
    const lent = Promise.withResolvers<string>();
    const borrowed = Promise.withResolvers<void>();
    const lending = typist.terminal.lend(() => {
      borrowed.resolve();
      return lent.promise;
    });
    await borrowed.promise;
    typist.terminal.write("news");
    typist.terminal.print("more");
    expect(typist.screen.text).not.toContain("news");
    lent.resolve("done");
    expect(await lending).toBe("done");
    await typist.screen.waitFor("news\nmore\n");
    await typist.screen.waitFor("half");
    typist.enter(" a line");
    expect(await line).toBe("half a line");
  });

  it("asks no question while its streams are lent, and can be closed then", async () => {
    const { signal } = new AbortController();
    const lent = Promise.withResolvers<void>();
    const lending = typist.terminal.lend(() => lent.promise);
    const answer = typist.terminal.ask("Sure? ", { signal });
    typist.terminal.close();
    lent.resolve();
    await lending;
    expect(await answer).toBeUndefined();
    expect(typist.screen.text).not.toContain("Sure?");
  });
});
