import type { ToolListPolicy } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NameTool, ViewFilter } from "../src/index.ts";
import { isUnawaited } from "../src/unawaited.ts";
import { tool } from "./manager-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

const rejections = vi.fn();
beforeEach(() => void process.on("unhandledRejection", rejections));
afterEach(() => {
  process.off("unhandledRejection", rejections);
  rejections.mockClear();
});

const SERVERS = new Map([["a", [tool("read")]]]);

/** What code without types passes where an answer is wanted at once. */
const failing = async () => {
  throw new Error("no idea");
};

describe("an async function where an answer is wanted at once ends no program by its rejection", () => {
  afterEach(async () => {
    await new Promise(setImmediate);
    expect(rejections).not.toHaveBeenCalled();
  });

  it.each<[string, ViewFilter]>([
    ["servers", { servers: failing as unknown as () => boolean }],
    ["tools", { tools: failing as unknown as () => boolean }],
  ])("as the filter of a view for %s: they are hidden, and the logger is told", async (_what, filter) => {
    const log = vi.fn();
    const { manager } = await startedManager(SERVERS, { log });
    await using _ = manager;
    expect(manager.view(filter).tools()).toEqual([]);
    const error = expect.stringContaining("viewFor");
    const message = expect.stringContaining("the filter of a view threw and hides");
    expect(log).toHaveBeenCalledWith("warn", message, expect.objectContaining({ error }));
  });

  it("as a naming: tools have their default names", async () => {
    const naming = { strategy: failing as unknown as NameTool };
    const { manager } = await startedManager(SERVERS, { naming });
    await using _ = manager;
    expect(manager.tools()).toMatchObject([{ name: "mcp__a__read" }]);
  });

  it("as a policy: it keeps its tools back", async () => {
    const toolPolicies = [failing as unknown as ToolListPolicy];
    const { manager } = await startedManager(SERVERS, { toolPolicies });
    await using _ = manager;
    expect(manager.tools()).toEqual([]);
  });
});

it.each([[true], ["name"], [undefined], [{ catch: 1 }]])("%j is no promise", (answer) => {
  expect(isUnawaited(answer)).toBe(false);
});
