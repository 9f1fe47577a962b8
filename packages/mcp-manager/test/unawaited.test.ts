import type { ToolListPolicy } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NameTool, ViewFilter } from "../src/index.ts";
import { isUnawaited } from "../src/tools/tool-naming.ts";
import { tool } from "./manager-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

const rejections = vi.fn();
beforeEach(() => void process.on("unhandledRejection", rejections));
afterEach(() => {
  process.off("unhandledRejection", rejections);
  rejections.mockClear();
});

const SERVERS = new Map([["a", [tool("read")]]]);

/** What untyped code may pass in place of a synchronous function. */
const failing = async () => {
  throw new Error("no idea");
};

describe("an async function in place of a synchronous one causes no unhandled rejection", () => {
  afterEach(async () => {
    await new Promise(setImmediate);
    expect(rejections).not.toHaveBeenCalled();
  });

  it.each<[string, ViewFilter]>([
    ["servers", { servers: failing as unknown as () => boolean }],
    ["tools", { tools: failing as unknown as () => boolean }],
  ])("as a view filter for %s: hides everything and logs a warning", async (_what, filter) => {
    const log = vi.fn();
    const { manager } = await startedManager(SERVERS, { log });
    await using _ = manager;
    expect(manager.view(filter).tools()).toEqual([]);
    const error = expect.stringContaining("viewFor");
    const message = expect.stringContaining("The filter of a view threw and hides");
    expect(log).toHaveBeenCalledWith("warn", message, expect.objectContaining({ error }));
  });

  it("as a naming strategy: tools get their default names", async () => {
    const naming = { strategy: failing as unknown as NameTool };
    const { manager } = await startedManager(SERVERS, { naming });
    await using _ = manager;
    expect(manager.tools()).toMatchObject([{ name: "mcp__a__read" }]);
  });

  it("as a tool policy: blocks the tools", async () => {
    const toolPolicies = [failing as unknown as ToolListPolicy];
    const { manager } = await startedManager(SERVERS, { toolPolicies });
    await using _ = manager;
    expect(manager.tools()).toEqual([]);
  });
});

it.each([[true], ["name"], [undefined], [{ catch: 1 }]])("%j is not a promise", (answer) => {
  expect(isUnawaited(answer)).toBe(false);
});
