import type { ErrorReport, ServerSnapshot, ServerStatus } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { describeStatus, describeTools } from "../src/server-news.ts";

const NOW = 5_000;
const error: ErrorReport = { code: "MCP_SERVER_EXITED", message: "It ended.", at: NOW };

function news(status: ServerStatus, more: Partial<ServerSnapshot> = {}, wasLost = false) {
  const snapshot: ServerSnapshot = {
    name: "web",
    status,
    since: NOW,
    tools: 0,
    toolsFrom: "none",
    calls: 0,
    failures: 0,
    definedIn: { scope: "explicit" },
    ...more,
  };
  return describeStatus({ before: "connecting", snapshot }, { wasLost, now: NOW });
}

describe("news of a server", () => {
  it("report that it is connected, lost, back or failed, and what to do", () => {
    expect(news("ready")).toBe("web is connected");
    expect(news("backoff", { error, retryAt: NOW + 2_000 })).toBe(
      "web is disconnected (MCP_SERVER_EXITED: It ended.); reconnecting in 2 s",
    );
    expect(news("ready", {}, true)).toBe("web is back");
    expect(news("failed", { error })).toBe(
      "web has failed (MCP_SERVER_EXITED: It ended.); /mcp reconnect web tries again",
    );
  });

  it.each(["idle", "connecting", "closing", "closed"] as const)("are empty when it is %s", (status) => {
    expect(news(status)).toBeUndefined();
  });

  it("name some of the tools that were added, removed or changed", () => {
    const added = ["a", "b", "c", "d", "e", "f", "g"];
    expect(describeTools({ server: "web", added, removed: ["x"], changed: [] })).toBe(
      "tools of web: 7 new: a, b, c, d, e and 2 more; 1 gone: x",
    );
    expect(describeTools({ server: "web", added: [], removed: [], changed: ["y"] })).toBe(
      "tools of web: 1 changed: y",
    );
    expect(describeTools({ server: "web", added: [], removed: [], changed: [] })).toBeUndefined();
  });
});
