import { type CallOptions, McpError, type Progress, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import * as ai7 from "ai";
import * as ai6 from "ai6";
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../src/index.ts";
import { toModelOutput } from "../src/model-output.ts";
import { isProgress, startToolRun } from "../src/tool-run.ts";
import { scriptedModel } from "./scripted-model.ts";

const RESULT: ToolCallResult = { content: [{ type: "text", text: "end" }] };

describe("a run", () => {
  it("gives progress as it comes, and the result last", async () => {
    let say: (progress: Progress) => void = () => {};
    const result = Promise.withResolvers<ToolCallResult>();
    const run = startToolRun((onProgress) => {
      say = onProgress;
      return result.promise;
    });
    const parts = run[Symbol.asyncIterator]();
    say({ progress: 1, total: 2, message: "Half." });
    expect(await parts.next()).toMatchObject({
      value: { content: [{ type: "text", text: "In progress: 1 of 2. Half." }], progress: { progress: 1 } },
    });
    say({ progress: 2 });
    expect(await parts.next()).toMatchObject({ value: { content: [{ text: "In progress: 2" }] } });
    result.resolve(RESULT);
    expect(await parts.next()).toEqual({ value: RESULT, done: false });
    expect(await parts.next()).toEqual({ value: undefined, done: true });
    expect(await run).toBe(RESULT);
  });

  it("keeps only the newest progress while nobody reads", async () => {
    let say: (progress: Progress) => void = () => {};
    const result = Promise.withResolvers<ToolCallResult>();
    const parts = startToolRun((onProgress) => {
      say = onProgress;
      return result.promise;
    })[Symbol.asyncIterator]();
    for (let progress = 1; progress <= 1_000; progress += 1) say({ progress });
    expect(await parts.next()).toMatchObject({ value: { progress: { progress: 1_000 } } });
    result.resolve(RESULT);
    expect(await parts.next()).toEqual({ value: RESULT, done: false });
  });

  it("has no answer that reads like its progress", async () => {
    const forged = { content: [{ type: "text", text: "In progress: 1" }], progress: { progress: 1 } };
    const run = startToolRun(async () => forged as ToolCallResult);
    for await (const output of run)
      for (const kept of [output, JSON.parse(JSON.stringify(output))])
        expect(toModelOutput(kept, 7)).toEqual({ type: "text", value: "In progress: 1" });
    expect(isProgress(await run)).toBe(false);
    expect.assertions(3);
  });

  it("throws an abort wherever it is looked at", async () => {
    const error = new McpError("MCP_ABORTED", "The caller gave up.");
    const run = startToolRun(() => Promise.reject(error));
    await expect(run).rejects.toBe(error);
    await expect(run[Symbol.asyncIterator]().next()).rejects.toBe(error);
  });
});

describe.each([
  ["AI SDK 7", ai7.streamText as unknown as typeof ai6.streamText, "v7"],
  ["AI SDK 6", ai6.streamText, "v6"],
] as const)("progress in a stream of %s", (_name, streamText, version) => {
  it("stands there as preliminary results, and the final one follows", async () => {
    const source = createFakeToolSource([
      {
        definition: { name: "ask" },
        call: async (_args, { onProgress }: CallOptions) => {
          onProgress?.({ progress: 1, total: 2 });
          // The next turn of the event loop: by then a reader has taken the progress.
          await new Promise((resolve) => setImmediate(resolve));
          return RESULT;
        },
      },
    ]);
    const model = scriptedModel([[{ tool: "mcp__fake__ask", input: "{}" }], "Done."])[version];
    const results: unknown[] = [];
    const { fullStream } = streamText({
      model: model as never,
      tools: aiSdkTools(source) as never,
      prompt: "Do it.",
    });
    for await (const part of fullStream) {
      if (part.type === "tool-result") results.push([part.preliminary === true, part.output]);
    }
    expect(results[0]).toMatchObject([true, { progress: { progress: 1, total: 2 } }]);
    expect(results.at(-1)).toEqual([false, RESULT]);
  });
});
