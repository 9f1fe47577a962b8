import { describe, expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { count, never, open } from "./remote.ts";

const tools = Array.from({ length: 6 }, (_, index) => ({
  name: `tool-${index}`,
  inputSchema: { type: "object" as const },
}));

describe("a list of several pages", () => {
  test("requests only the failed page again and keeps the others", async () => {
    const { remote, session } = await open({
      tools,
      pageSize: 2,
      on: { "tools/list": { skip: 1, times: 1, reply: { status: 503, headers: { "retry-after": "0" } } } },
    });
    const { items } = await session.list("tools", { signal: never });
    expect(items.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const cursors = remote.requests.flatMap(({ body }) =>
      body?.method === "tools/list" ? [body.params?.cursor] : [],
    );
    expect(cursors).toHaveLength(4);
    expect(cursors[1]).toBe(cursors[2]);
    expect(new Set(cursors).size).toBe(3);
  });

  test("fails when a page keeps failing, instead of returning part of the list", async () => {
    const { remote, session } = await open({
      tools,
      pageSize: 2,
      on: { "tools/list": { skip: 2, reply: { status: 503, headers: { "retry-after": "0" } } } },
    });
    expect(await failureOf(session.list("tools", { signal: never }))).toMatchObject({
      phase: "list",
      httpStatus: 503,
    });
    expect(count(remote, "tools/list")).toBe(5);
  });

  test("[T87] without an end is refused", async () => {
    const { remote, session } = await open({ tools, pageSize: 2, endlessPages: true });
    expect((await failureOf(session.list("tools", { signal: never }))).code).toBe("MCP_LIMIT_EXCEEDED");
    expect(count(remote, "tools/list")).toBeLessThanOrEqual(64);
  });

  test("[R37] has one deadline for all its pages", async () => {
    const { session } = await open(
      { endlessPages: true, answerLateMs: { "tools/list": 60 } },
      { limits: { maxTotalMs: 200 } },
    );
    expect((await failureOf(session.list("tools", { signal: never }))).code).toBe("MCP_CALL_TIMEOUT");
  });

  test("stops waiting for a retry when the session closes", async () => {
    const reply = { status: 503, headers: { "retry-after": "9" } };
    const { remote, session } = await open({ on: { "tools/list": { reply } } });
    const listing = failureOf(session.list("tools", { signal: never }));
    await remote.until(() => count(remote, "tools/list") === 1);
    await session.close();
    expect(["MCP_CLOSED", "MCP_REQUEST_REJECTED"]).toContain((await listing).code);
  });
});

test("tool schemas are returned exactly as the server wrote them", async () => {
  const inputSchema = {
    zeta: { $ref: "#/$defs/a" },
    type: "object" as const,
    "2": { "x-odd": [null, 1e21, "\u2028"] },
    $defs: { a: { const: { b: [] } } },
    $schema: "https://example.test/none",
    additionalProperties: { not: {} },
  };
  const { session } = await open({ tools: [{ name: "odd", inputSchema }] });
  const { items } = await session.list("tools", { signal: never });
  expect(JSON.stringify(items[0]?.inputSchema)).toBe(JSON.stringify(inputSchema));
});

test("[R47] a call to a tool that no longer exists is rejected, and sent once", async () => {
  const rpcError = { code: -32602, message: "Unknown tool" };
  const { remote, session } = await open({ on: { "tools/call": { rpcError } } });
  const error = await failureOf(session.request("tools/call", { name: "gone" }));
  expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", rpcCode: -32602, outcome: "rejected" });
  expect(count(remote, "tools/call")).toBe(1);
});
