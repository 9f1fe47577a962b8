import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createActivities, watchConnector } from "../src/command-line/activities.ts";
import { showProgress } from "../src/command-line/progress-lines.ts";
import { collector } from "./fixture.ts";

const UP = (lines: number) => `\u001b[${lines}A\u001b[J`;

beforeEach(() => {
  vi.stubEnv("TERM", "xterm");
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const terminal = (rows = 24) => Object.assign(collector(), { isTTY: true, columns: 80, rows });
const never = () => new Promise<never>(() => {});

describe("progress", () => {
  it("appears after one second with a line per pending server, and is erased at the end", () => {
    const stderr = terminal();
    const activities = createActivities();
    const progress = showProgress(stderr, activities);
    void activities.during("files", "connecting", never);
    vi.advanceTimersByTime(999);
    expect(stderr.text()).toBe("");
    void activities.during("mail", "connecting", never);
    vi.advanceTimersByTime(251);
    expect(stderr.text()).toBe("files: connecting, 1 s\n");
    vi.advanceTimersByTime(1_000);
    expect(stderr.text()).toContain(`${UP(1)}files: connecting, 2 s\nmail: connecting, 1 s\n`);
    progress[Symbol.dispose]();
    expect(stderr.text().endsWith(UP(2))).toBe(true);
    const ended = stderr.text();
    vi.advanceTimersByTime(5_000);
    expect(stderr.text()).toBe(ended);
  });

  it("removes a server's line when its attempt has failed", async () => {
    const stderr = terminal();
    const activities = createActivities();
    using _ = showProgress(stderr, activities);
    const opening = Promise.withResolvers<never>();
    const connect = watchConnector(() => opening.promise, activities);
    const server = {
      name: "files",
      transport: "http",
      url: "http://localhost",
      headers: {},
      secrets: [],
    } as const;
    const attempt = connect(server, { signal: new AbortController().signal, log: () => {} });
    vi.advanceTimersByTime(2_000);
    expect(stderr.text()).toContain("files: connecting, 2 s\n");
    opening.reject(new Error("refused"));
    await expect(attempt).rejects.toThrow("refused");
    vi.advanceTimersByTime(250);
    expect(stderr.text().endsWith(UP(1))).toBe(true);
    expect(activities.all()).toMatchObject([{ name: "files", what: "connecting", hasFailed: true }]);
    expect(activities.all()[0]?.endedAt).toBeGreaterThan(0);
  });

  it("fits the terminal, whatever a server's name", () => {
    const stderr = terminal(6);
    const activities = createActivities();
    using _ = showProgress(stderr, activities);
    for (let index = 0; index < 9; index += 1) {
      void activities.during(`\u001b[2J${"x".repeat(200)}`, "connecting", never);
    }
    vi.advanceTimersByTime(1_000);
    const lines = stderr.text().trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe("and 6 more");
    for (const line of lines) {
      expect(line.length).toBeLessThan(80);
      expect(line).not.toContain("\u001b");
    }
  });

  it.each([
    ["a stream that is no terminal", collector, "xterm"],
    ["a dumb terminal", terminal, "dumb"],
  ])("writes nothing to %s", (_what, open, term) => {
    vi.stubEnv("TERM", term);
    const stderr = open();
    const activities = createActivities();
    using _ = showProgress(stderr, activities);
    void activities.during("files", "connecting", never);
    vi.advanceTimersByTime(60_000);
    expect(stderr.text()).toBe("");
  });
});
