import type { ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { classifyResult, resultText } from "@jackfield/mcp-tools";
import { describe, expect, test, vi } from "vitest";
import { markResults } from "../../src/marking/mark-results.ts";
import { limitResults } from "../../src/size/limit-results.ts";
import { callThrough, offeredTool } from "../tool-fixture.ts";

const text = (written: string): ContentBlock => ({ type: "text", text: written });
const image: ContentBlock = { type: "image", data: "AA==", mimeType: "image/png" };
const many = (count: number, block: ContentBlock): ContentBlock[] =>
  Array.from({ length: count }, () => ({ ...block }));

describe("the block limit of a result", () => {
  test.each<[string, ContentBlock]>([
    ["empty texts", text("")],
    ["texts of one character", text("x")],
    ["empty resources", { type: "resource", resource: { uri: "a:", text: "" } }],
    ["links", { type: "resource_link", uri: "a:", name: "a b" }],
    ["images", image],
    ["parts of an unknown type", { type: "x" } as unknown as ContentBlock],
  ])("bounds what a model reads of 20,000 %s, markers included", async (_, block) => {
    const call = { tool: offeredTool(), args: {}, options: { audience: "model" as const } };
    const limited = () => callThrough(limitResults(), { content: many(20_000, block) });
    const marked = await markResults()(call, limited);
    expect(marked.content).toHaveLength(501);
    expect(resultText(classifyResult(marked)).length).toBeLessThan(100_000);
  });

  test("is one block for each 100 characters, and the notice counts the missing parts", async () => {
    const limit = limitResults({ maxResultChars: 2_000 });
    const fits: ToolCallResult = { content: many(20, text("x")) };
    expect(await callThrough(limit, fits)).toBe(fits);
    const limited = await callThrough(limit, { content: many(22, text("xy")) });
    expect(limited.content).toEqual([
      ...many(20, text("xy")),
      text("[This result was too long. Missing: 4 of 44 characters of text, 2 of 22 parts.]"),
    ]);
  });

  test("is 16 blocks at the smallest text limit, and does not apply without a text limit", async () => {
    const fits: ToolCallResult = { content: many(16, text("")) };
    expect(await callThrough(limitResults({ maxResultChars: 1 }), fits)).toBe(fits);
    const limited = await callThrough(limitResults({ maxResultChars: 1 }), { content: many(17, text("")) });
    expect(limited.content.at(-1)).toEqual(text("[This result was too long. Missing: 1 of 17 parts.]"));
    const whole: ToolCallResult = { content: many(20_000, text("")) };
    expect(await callThrough(limitResults({ maxResultChars: 0 }), whole)).toBe(whole);
  });

  test("keeps an image behind too many texts", async () => {
    const content = [...many(30, text("x")), image];
    const limited = await callThrough(limitResults({ maxResultChars: 100 }), { content });
    expect(limited.content.slice(0, -1)).toEqual([...many(15, text("x")), image]);
  });

  test("does not cut what a store keeps", async () => {
    const save = vi.fn(async () => "there");
    const link: ContentBlock = { type: "resource_link", uri: "file:///a", name: "a" };
    const resource: ContentBlock = { type: "resource", resource: { uri: "file:///b", text: "inside" } };
    const unknown = { type: "x", y: "strange" } as unknown as ContentBlock;
    const content = [...many(15, text("x")), text("y"), link, resource, unknown];
    await callThrough(limitResults({ maxResultChars: 100, store: { save } }), { content });
    const kept = expect.stringMatching(/^(?:x\n){15}y\n.*file:\/\/\/a.*\ninside\n.*strange/);
    expect(save).toHaveBeenCalledExactlyOnceWith(kept, expect.anything());
  });
});

test("a store keeps the text of a resource left out for its long URI", async () => {
  const save = vi.fn(async () => "there");
  const resource = { uri: `file:///${"u".repeat(100)}`, text: "inside" };
  const limit = limitResults({ maxResultChars: 50, store: { save } });
  await callThrough(limit, { content: [{ type: "resource", resource }] });
  expect(save).toHaveBeenCalledExactlyOnceWith("inside", expect.anything());
});
