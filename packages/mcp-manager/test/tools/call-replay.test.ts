import { McpError, type ToolAnnotations, type ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { type ReplayQuestion, repeatDelay } from "../../src/tools/call-replay.ts";
import { tool as definition } from "../manager-fixture.ts";
import { startedManager } from "./started-manager.ts";

function tool(annotations: ToolAnnotations = {}): ToolDescriptor {
  return {
    name: "mcp__s__t",
    server: "s",
    originalName: "t",
    description: "",
    definition: { name: "t", inputSchema: { type: "object" }, annotations },
    origin: "live",
    requiresApproval: false,
  };
}

const notSent = new McpError("MCP_SESSION_LOST", "gone", { outcome: "not-sent" });
const rejected = new McpError("MCP_SESSION_LOST", "404", { outcome: "rejected" });
const forgotten = new McpError("MCP_SESSION_LOST", "404", { outcome: "rejected", httpStatus: 404 });
const unknown = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });

/** The error details of a challenge while the authorization server is busy. */
const unmet = { outcome: "rejected", httpStatus: 429, retryAfterMs: 3_000 } as const;

const refused401 = new McpError("MCP_AUTH_REQUIRED", "expired", { outcome: "rejected", httpStatus: 401 });

const CASES: [title: string, question: Partial<ReplayQuestion>, expected: number | undefined][] = [
  ["[T1] repeats a call that was not sent", { error: notSent }, 0],
  ["repeats an unsent call a second time", { error: notSent, unsent: 2 }, 0],
  ["does not repeat an unsent call a third time", { error: notSent, unsent: 3 }, undefined],
  ["[R17] does not count a refused attempt as unsent", { error: notSent, unsent: 1, refused: 1 }, 0],
  ["[R17] repeats a call that the server refused because of an unknown session", { error: rejected }, 0],
  ["[R17] repeats a call after a 404 if the session was not renewed", { error: forgotten }, 0],
  [
    "does not repeat a call after a 404 if the session was renewed, and so has sent it twice",
    { error: forgotten, wasRenewed: true },
    undefined,
  ],
  [
    "repeats a call that was refused without a status, even if the session was renewed",
    { error: rejected, wasRenewed: true },
    0,
  ],
  ["[T2] never repeats a call that may have run", { error: unknown }, undefined],
  ["ignores annotations by default", { error: unknown, tool: tool({ readOnlyHint: true }) }, undefined],
  [
    "repeats a read-only tool if annotations are trusted",
    { error: unknown, tool: tool({ readOnlyHint: true }), limits: { trustAnnotations: true } },
    0,
  ],
  [
    "repeats an idempotent tool if annotations are trusted",
    { error: unknown, tool: tool({ idempotentHint: true }), limits: { trustAnnotations: true } },
    0,
  ],
  [
    "does not repeat a tool that is no longer offered, even if annotations are trusted",
    { error: unknown, tool: undefined, limits: { trustAnnotations: true } },
    undefined,
  ],
  [
    "does not repeat other tools, even if annotations are trusted",
    { error: unknown, limits: { trustAnnotations: true } },
    undefined,
  ],
  [
    "lets the call's own 'never' override trusted annotations",
    {
      error: unknown,
      tool: tool({ readOnlyHint: true }),
      limits: { trustAnnotations: true },
      replay: "never",
    },
    undefined,
  ],
  ["[T1] repeats an unsent attempt after one that may have run", { error: notSent, mayHaveRun: 2 }, 0],
  ["repeats as often as the call's `replay` allows", { error: unknown, replay: 2, mayHaveRun: 2 }, 0],
  [
    "does not repeat more often than the call's `replay` allows",
    { error: unknown, replay: 2, mayHaveRun: 3 },
    undefined,
  ],
  [
    "[T3] never repeats a call that timed out",
    { error: new McpError("MCP_CALL_TIMEOUT", "late", { outcome: "unknown" }), replay: 5 },
    undefined,
  ],
  [
    "never repeats an aborted call",
    { error: new McpError("MCP_ABORTED", "enough", { outcome: "unknown" }), replay: 5 },
    undefined,
  ],
  [
    "never repeats a call that the server rejected",
    { error: new McpError("MCP_TOOL_REJECTED", "no", { outcome: "rejected" }), replay: 5 },
    undefined,
  ],
  [
    "waits as long as a busy server asks before it repeats",
    {
      error: new McpError("MCP_TOOL_REJECTED", "busy", {
        outcome: "rejected",
        httpStatus: 429,
        retryAfterMs: 7_000,
      }),
    },
    7_000,
  ],
  [
    "waits a second if a busy server does not say how long",
    { error: new McpError("MCP_TOOL_REJECTED", "busy", { outcome: "rejected", httpStatus: 429 }) },
    1_000,
  ],
  [
    "does not call a busy server a third time",
    {
      error: new McpError("MCP_TOOL_REJECTED", "busy", { outcome: "rejected", httpStatus: 429 }),
      refused: 2,
    },
    undefined,
  ],
  [
    "does not wait for a busy authorization server",
    { error: new McpError("MCP_CONNECT_FAILED", "busy", { ...unmet, phase: "handshake" }) },
    undefined,
  ],
  [
    "does not repeat MCP_AUTH_REQUIRED, even if its phase is the call",
    { error: new McpError("MCP_AUTH_REQUIRED", "busy", { ...unmet, phase: "call" }) },
    undefined,
  ],
  [
    "does not repeat MCP_CONNECT_FAILED, even if its phase is the call",
    { error: new McpError("MCP_CONNECT_FAILED", "busy", { ...unmet, phase: "call" }) },
    undefined,
  ],
  [
    "never repeats after an error of the handshake, whatever its code",
    { error: new McpError("MCP_SESSION_LOST", "gone", { outcome: "not-sent", phase: "handshake" }) },
    undefined,
  ],
  [
    "repeats a call whose credentials were refused if its session ended on that",
    { error: refused401, hasEnded: true },
    0,
  ],
  ["does not repeat it on the session that goes on", { error: refused401, hasEnded: false }, undefined],
  [
    "does not repeat it when the next session's credentials are refused as well",
    { error: refused401, hasEnded: true, refused: 2 },
    undefined,
  ],
];

describe("the replay policy", () => {
  it.each(CASES)("%s", (_title, question, expected) => {
    const { outcome } = question.error ?? unknown;
    const counts = {
      mayHaveRun: outcome === "unknown" ? 1 : 0,
      unsent: outcome === "not-sent" ? 1 : 0,
      refused: outcome === "rejected" ? 1 : 0,
    };
    const defaults = { wasRenewed: false, hasEnded: false, replay: undefined, tool: tool(), limits: {} };
    const asked = { error: unknown, ...counts, ...defaults, ...question };
    expect(repeatDelay(asked)).toBe(expected);
  });
});

it.each([429, 503])(
  "a call is sent once, and rejects with the status, if the authorization server answers HTTP %d",
  async (httpStatus) => {
    const details = { ...unmet, httpStatus, server: "a", phase: "handshake" } as const;
    const answer = () => {
      throw new McpError("MCP_CONNECT_FAILED", "busy", details);
    };
    const { manager, session } = await startedManager(new Map([["a", [definition("echo")]]]), { answer });
    const told = { code: "MCP_CONNECT_FAILED", outcome: "rejected", httpStatus, retryAfterMs: 3_000 };
    await expect(manager.callTool({ server: "a", tool: "echo" })).rejects.toMatchObject(told);
    expect(session("a").requests).toHaveLength(1);
    await manager.close();
  },
);

it.each([
  ["twice if the session was renewed before the call", "before", 2],
  ["once if the session was renewed during the call", "during", 1],
])("a call that the server answers with 404 is sent %s", async (_title, renewal, sent) => {
  const { manager, session, connector } = await startedManager(new Map([["a", [definition("echo")]]]), {
    answer: () => {
      if (renewal === "during") session("a").renew();
      throw forgotten;
    },
  });
  if (renewal === "before") session("a").renew();
  await manager.refreshTools("a");
  await expect(manager.callTool({ server: "a", tool: "echo" })).rejects.toBeInstanceOf(McpError);
  expect(session("a").requests).toHaveLength(sent);
  expect(connector.attempts).toHaveLength(1);
  await manager.close();
});
