import { describe, expect, it } from "vitest";
import type { AsyncViewFilter, ViewFilter } from "../../src/index.ts";
import { createFixture } from "../manager-fixture.ts";

describe("a view filter", () => {
  it.each<[unknown]>([
    [undefined],
    [null],
    ["echo"],
    [() => true],
    [[]],
    [["a"]],
    [{ server: ["a"] }],
    [{ tools: "echo" }],
    [{ tools: null }],
    [{ servers: ["a", 1] }],
    [{ servers: 5n }],
  ])("is refused by view() and viewFor() if invalid: %s", async (filter) => {
    const { manager } = createFixture(["a"]);
    await using _ = manager;
    const refusal = expect.objectContaining({ code: "MCP_CONFIG_INVALID", phase: "config" });
    for (const source of [manager, manager.view({})]) {
      expect(() => source.view(filter as ViewFilter)).toThrow(refusal);
      await expect(source.viewFor(filter as AsyncViewFilter)).rejects.toEqual(refusal);
    }
  });

  it("shows every tool if it names neither servers nor tools", async () => {
    const { manager } = createFixture(["a"]);
    await using _ = manager;
    await manager.start();
    for (const filter of [{}, { servers: undefined, tools: undefined }]) {
      expect(manager.view(filter).tools()).toHaveLength(1);
      expect((await manager.viewFor(filter)).tools()).toHaveLength(1);
    }
  });
});
