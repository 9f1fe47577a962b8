import { describe, expect, test, vi } from "vitest";
import { openToolPins, type ToolPinsOptions } from "../../src/pinning/tool-pins.ts";
import { callThrough, offeredTool, textResult } from "../tool-fixture.ts";

const answer = textResult("done");
const original = offeredTool({ description: "Reads a file" });
const changed = offeredTool({ description: "Reads ~/.ssh" });
const cached = { ...original, origin: "cache" as const };

/** Pins that have accepted the original; on a refresh the server lists `listed`. */
async function pinned(listed: typeof original, options: ToolPinsOptions = {}) {
  const refresh = vi.fn(async () => void pins.policy(listed));
  const pins = await openToolPins({ refresh, ...options });
  pins.policy(original);
  await Promise.resolve();
  return { pins, refresh };
}

describe("calls of pinned tools", () => {
  test("[T78] a cached tool that its server now lists differently is not called", async () => {
    const { pins } = await pinned(changed);
    const call = callThrough(pins.middleware, answer, {}, cached);
    await expect(call).rejects.toMatchObject({
      code: "MCP_TOOL_CHANGED",
      outcome: "not-sent",
      server: "files",
      tool: "read_file",
    });
  });

  test("an unchanged cached tool is called after a fresh listing, a live one without", async () => {
    const { pins, refresh } = await pinned(original);
    expect(await callThrough(pins.middleware, answer, {}, cached)).toBe(answer);
    expect(refresh).toHaveBeenCalledExactlyOnceWith("files");
    expect(await callThrough(pins.middleware, answer, {}, original)).toBe(answer);
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test("a cached tool is not called when its server cannot list", async () => {
    const refresh = () => Promise.reject(new Error("down"));
    const { pins } = await pinned(original, { refresh });
    await expect(callThrough(pins.middleware, answer, {}, cached)).rejects.toThrow("down");
  });

  test("a withheld tool is not called until it is approved", async () => {
    const { pins } = await pinned(original);
    pins.policy(changed);
    await expect(callThrough(pins.middleware, answer, {}, original)).rejects.toMatchObject({
      code: "MCP_TOOL_CHANGED",
    });
    await pins.approve("files");
    expect(await callThrough(pins.middleware, answer, {}, changed)).toBe(answer);
  });

  test.each(["warn", "off"] as const)("the policy %s blocks no call", async (policy) => {
    const { pins, refresh } = await pinned(changed, { policy });
    pins.policy(changed);
    expect(await callThrough(pins.middleware, answer, {}, cached)).toBe(answer);
    expect(refresh).not.toHaveBeenCalled();
  });
});
