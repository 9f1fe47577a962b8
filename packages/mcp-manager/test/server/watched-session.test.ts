import { McpError, type RequestOptions, type ServerLimits } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { latestRenewal, WatchedSession } from "../../src/server/watched-session.ts";

const ENDING = { idle: () => {}, refused: () => {}, values: undefined };

function watched(limits: ServerLimits) {
  const session = createFakeSession({ answer: () => new Promise(() => {}) });
  session.holdLists();
  return new WatchedSession(session, { definition: { limits }, counts: { calls: 0, failures: 0 } }, ENDING);
}

const ENDLESS = { callTimeoutMs: 0, maxTotalMs: 0 };

it.each<[boolean, RequestOptions, ServerLimits]>([
  [true, { timeoutMs: 5 }, {}],
  [true, { timeoutMs: 0, maxTotalMs: 5 }, {}],
  [true, { timeoutMs: 5 }, ENDLESS],
  [true, {}, {}],
  [false, {}, ENDLESS],
  [false, { timeoutMs: 0, maxTotalMs: 0 }, {}],
])(
  "isBusy is %j during a request with the options %j and the server limits %j",
  (isBusy, options, limits) => {
    const session = watched(limits);
    expect(session.isBusy).toBe(false);
    session.request("tools/call", { name: "echo" }, options).catch(() => {});
    expect(session.isBusy).toBe(isBusy);
  },
);

it.each([
  [true, {}],
  [false, { callTimeoutMs: 0 }],
])("isBusy is %j during a listing with the server limits %j", (isBusy, limits) => {
  const session = watched(limits);
  session.list("tools", { signal: new AbortController().signal }).catch(() => {});
  expect(session.isBusy).toBe(isBusy);
});

it("isUsed is true during a call or another request, but not during a listing or a ping", async () => {
  const session = watched({});
  session.list("tools", { signal: new AbortController().signal }).catch(() => {});
  session.request("ping", undefined).catch(() => {});
  expect(session.isUsed).toBe(false);
  for (const method of ["tools/call", "prompts/get"] as const) {
    session.request(method, { name: "echo" }).catch(() => {});
    expect(session.isUsed).toBe(true);
    session.rejectInFlight(() => new McpError("MCP_CLOSED", "given up"));
    expect(session.isUsed).toBe(false);
  }
});

it.each([
  ["not-sent", new McpError("MCP_SESSION_LOST", "refused", { outcome: "not-sent" }), 0, 0],
  ["not-sent", new McpError("MCP_ABORTED", "enough", { outcome: "not-sent" }), 0, 0],
  ["rejected", new McpError("MCP_TOOL_REJECTED", "no", { outcome: "rejected" }), 1, 1],
  ["unknown", new McpError("MCP_ABORTED", "enough", { outcome: "unknown" }), 1, 0],
])("a call that ends as %s (%s) counts as %d calls and %d failures", async (_outcome, error, ...expected) => {
  const counts = { calls: 0, failures: 0 };
  const answer = () => Promise.reject(error);
  const session = new WatchedSession(createFakeSession({ answer }), { definition: {}, counts }, ENDING);
  const calling = session.request("tools/call", { name: "echo" });
  expect(counts).toEqual({ calls: 1, failures: 0 });
  await expect(calling).rejects.toBe(error);
  expect([counts.calls, counts.failures]).toEqual(expected);
});

it("renewal is higher than the latest one before, also in the same turn", () => {
  const inner = createFakeSession();
  const watch = { definition: {}, counts: { calls: 0, failures: 0 } };
  const session = new WatchedSession(inner, watch, ENDING);
  expect(session.renewal).toBe(0);
  const before = latestRenewal();
  inner.renew();
  expect(session.renewal).toBeGreaterThan(before);
  expect(session.renewal).toBe(latestRenewal());
});

it("a request after markLost() rejects as not-sent, with the loss as its cause", async () => {
  const session = watched({});
  const loss = new McpError("MCP_SESSION_LOST", "refused twice", { server: "a" });
  session.markLost(loss);
  await session.close();
  const asking = session.request("tools/call", { name: "echo" });
  await expect(asking).rejects.toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent", cause: loss });
});
