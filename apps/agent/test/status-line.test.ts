import type { ServerSnapshot } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { describeServers, summarizeStart } from "../src/status-line.ts";
import { terminalStyle } from "../src/terminal-style.ts";

function snapshot(more: Partial<ServerSnapshot>): ServerSnapshot {
  return {
    name: "files",
    status: "ready",
    transport: "stdio",
    since: 0,
    tools: 3,
    toolsFrom: "live",
    calls: 0,
    failures: 0,
    definedIn: { scope: "explicit" },
    ...more,
  };
}

const failed = snapshot({
  name: "web\u001b[2J",
  status: "failed",
  transport: "http",
  tools: 0,
  toolsFrom: "none",
  error: { code: "MCP_CONNECT_FAILED", message: "Nobody answers.", at: 0 },
});
const cached = snapshot({ name: "memory", status: "connecting", tools: 2, toolsFrom: "stale" });
const servers = [snapshot({}), cached, failed];
const plain = terminalStyle({ isTTY: false }, {});

describe("the status lines", () => {
  it("sum the start up", () => {
    expect(summarizeStart(servers, { tookMs: 12.6, blocked: [] })).toBe(
      "5 tools, 1 of 3 servers connected, usable after 13 ms",
    );
  });

  it("say of each server how it is and where its tools come from", () => {
    const blocked = [{ name: "github", reason: "not approved" }, { name: "jira" }];
    expect(describeServers(servers, { blocked }, plain)).toEqual([
      "ready files (stdio) 3 tools, live",
      "connecting memory (stdio) 2 tools, from the cache, stale",
      "failed web[2J (http) 0 tools, none yet\n  MCP_CONNECT_FAILED: Nobody answers.",
      "blocked github: not approved",
      "blocked jira",
    ]);
  });
});

describe("colours", () => {
  it.each([
    ["a terminal", { isTTY: true }, {}, true],
    ["a terminal with an empty NO_COLOR", { isTTY: true }, { NO_COLOR: "" }, true],
    ["a terminal with NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, false],
    ["a file", {}, { FORCE_COLOR: "1" }, false],
  ])("on %s", (_title, stream, environment, coloured) => {
    expect(terminalStyle(stream, environment).good("x") !== "x").toBe(coloured);
  });
});
