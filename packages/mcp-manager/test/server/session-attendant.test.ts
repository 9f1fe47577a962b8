import { McpError } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contextSession, LOG, openedFixture, README } from "../context/context-fixture.ts";
import { tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const TOOLS_CHANGED = "notifications/tools/list_changed";
const RESOURCES_CHANGED = "notifications/resources/list_changed";

const numberOf = (params: unknown) => (params as { readonly change: number }).change;

/** A server with tools only, and the tools on offer at each notification that a listener got. */
async function withTools() {
  const session = createFakeSession({ tools: [tool("t0")] });
  const { manager } = await openedFixture({ retry: { maxRetries: 0 } }, session);
  const heard: unknown[][] = [];
  manager.on("notification", ({ params }) =>
    heard.push([numberOf(params), ...manager.tools().map(({ originalName }) => originalName)]),
  );
  const change = (number: number) => {
    session.setTools([tool(`t${number}`)]);
    session.notify({ method: TOOLS_CHANGED, params: { change: number } });
  };
  return { manager, session, heard, change };
}

describe("a listener of list_changed", () => {
  it("[N12] sees the new list, also after changes in quick succession", async () => {
    const { manager, heard, change } = await withTools();
    for (const number of [1, 2, 3]) {
      change(number);
      await vi.advanceTimersByTimeAsync(150);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toEqual([
      [1, "t1"],
      [2, "t3"],
      [3, "t3"],
    ]);
    await manager.close();
  });

  it("[N12] gets the notifications in order if the server lists slowly", async () => {
    const session = contextSession();
    const { manager } = await openedFixture({}, session);
    await manager.resources("s");
    await vi.advanceTimersByTimeAsync(0);
    const list = session.list.bind(session);
    session.list = async (kind, options) => {
      const listing = await list(kind, options);
      await new Promise((resolve) => setTimeout(resolve, kind === "resources" ? 300 : 0));
      return listing;
    };
    const heard: number[] = [];
    const found: number[] = [];
    manager.on("notification", async ({ params }) => {
      heard.push(numberOf(params));
      found.push((await manager.resources("s")).length - 2);
    });
    for (const change of [1, 2, 3]) {
      session.setItems("resources", [README, LOG, README, LOG, README].slice(0, 2 + change));
      session.notify({ method: RESOURCES_CHANGED, params: { change } });
      await vi.advanceTimersByTimeAsync(200);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).toEqual([1, 2, 3]);
    expect(found).toEqual([2, 3, 3]);
    await manager.close();
  });

  it("gets the notification even if the list fails or the session ends", async () => {
    const { manager, session, heard, change } = await withTools();
    session.failLists(new McpError("MCP_REQUEST_REJECTED", "not now"));
    change(1);
    await vi.advanceTimersByTimeAsync(100);
    change(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(heard).toEqual([
      [1, "t0"],
      [2, "t0"],
    ]);
    change(3);
    session.lose(new McpError("MCP_SESSION_LOST", "Gone."));
    await vi.advanceTimersByTimeAsync(0);
    expect(heard.at(-1)).toEqual([3, "t0"]);
    await manager.close();
  });

  it("gets notifications beyond a hundred at once instead of after their list", async () => {
    const { manager, heard, change } = await withTools();
    change(1);
    await vi.advanceTimersByTimeAsync(100);
    for (let number = 2; number <= 151; number += 1) change(number);
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toHaveLength(51);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toHaveLength(151);
    expect(heard.at(-1)).toEqual([101, "t151"]);
    await manager.close();
  });
});
