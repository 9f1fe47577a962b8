import { describe, expect, test, vi } from "vitest";
import { openToolPins, type ToolPinsOptions } from "../../src/pinning/tool-pins.ts";
import { callThrough, offeredTool, textResult } from "../tool-fixture.ts";

const answer = textResult("done");
const original = offeredTool({ description: "Reads a file" });
const changed = offeredTool({ description: "Reads ~/.ssh" });
const remembered = { ...original, origin: "cache" as const };

/** Pins that have accepted the original; the server lists what is given whenever it is asked. */
async function pinned(listed: typeof original, options: ToolPinsOptions = {}) {
  const refresh = vi.fn(async () => void pins.policy(listed));
  const pins = await openToolPins({ refresh, ...options });
  pins.policy(original);
  await Promise.resolve();
  return { pins, refresh };
}

describe("calls of pinned tools", () => {
  test("[T78] a tool from the catalog that its server lists differently now is not called", async () => {
    const { pins } = await pinned(changed);
    const call = callThrough(pins.middleware, answer, {}, remembered);
    await expect(call).rejects.toMatchObject({
      code: "MCP_TOOL_CHANGED",
      outcome: "not-sent",
      server: "files",
      tool: "read_file",
    });
  });

  test("one that is listed as it was is called, and a live one without listing anew", async () => {
    const { pins, refresh } = await pinned(original);
    expect(await callThrough(pins.middleware, answer, {}, remembered)).toBe(answer);
    expect(refresh).toHaveBeenCalledExactlyOnceWith("files");
    expect(await callThrough(pins.middleware, answer, {}, original)).toBe(answer);
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test("a server that cannot list is not called by what is remembered of it", async () => {
    const refresh = () => Promise.reject(new Error("down"));
    const { pins } = await pinned(original, { refresh });
    await expect(callThrough(pins.middleware, answer, {}, remembered)).rejects.toThrow("down");
  });

  test("a tool that was withheld while the call waited is not called, and is once it is approved", async () => {
    const { pins } = await pinned(original);
    pins.policy(changed);
    await expect(callThrough(pins.middleware, answer, {}, original)).rejects.toMatchObject({
      code: "MCP_TOOL_CHANGED",
    });
    await pins.approve("files");
    expect(await callThrough(pins.middleware, answer, {}, changed)).toBe(answer);
  });

  test.each(["warn", "off"] as const)("the policy %s stops no call", async (policy) => {
    const { pins, refresh } = await pinned(changed, { policy });
    pins.policy(changed);
    expect(await callThrough(pins.middleware, answer, {}, remembered)).toBe(answer);
    expect(refresh).not.toHaveBeenCalled();
  });
});
