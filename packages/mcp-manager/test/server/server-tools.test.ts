import type { ToolDefinition } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { listKind } from "../../src/server/list-kind.ts";
import { ServerTools } from "../../src/server/server-tools.ts";
import { tool } from "../manager-fixture.ts";

/** A server's tools, and each list that was offered with its origin. */
function setUp() {
  const offered: [readonly ToolDefinition[], string][] = [];
  const definition = stdioDefinition("a");
  const tools = new ServerTools(
    {
      definition,
      list: (session, kind) => listKind(session, kind, definition),
      toolsListed() {},
      toolsFailed() {},
      listedElsewhere: async () => undefined,
    },
    { offer: (...offer) => void offered.push(offer), prepare: () => undefined, withdraw: vi.fn() },
    0,
  );
  return { tools, offered };
}

it("a server that lists the same after a restart is offered by the list that was compared and frozen before", async () => {
  const { tools, offered } = setUp();
  await tools.loader.load(createFakeSession({ tools: [tool("first")] }));
  tools.sessionEnded();
  await tools.loader.load(createFakeSession({ tools: [tool("first")] }));
  expect(offered.map(([, origin]) => origin)).toEqual(["live", "cache", "live"]);
  expect(offered[2]?.[0]).toBe(offered[0]?.[0]);
});

it("a server that lists something else is offered by its new list", async () => {
  const { tools, offered } = setUp();
  await tools.loader.load(createFakeSession({ tools: [tool("first")] }));
  tools.sessionEnded();
  await tools.loader.load(createFakeSession({ tools: [{ ...tool("first"), description: "Other." }] }));
  expect(offered.at(-1)?.[0]).toMatchObject([{ name: "first", description: "Other." }]);
});
