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

describe("a tool run", () => {
  it("yields progress as it arrives and the result last", async () => {
    let report: (progress: Progress) => void = () => {};
    const result = Promise.withResolvers<ToolCallResult>();
    const run = startToolRun((onProgress) => {
      report = onProgress;
      return result.promise;
    });
    const parts = run[Symbol.asyncIterator]();
    report({ progress: 1, total: 2, message: "Half." });
    expect(await parts.next()).toMatchObject({
      value: { content: [{ type: "text", text: "In progress: 1 of 2. Half." }], progress: { progress: 1 } },
    });
    report({ progress: 2 });
    expect(await parts.next()).toMatchObject({ value: { content: [{ text: "In progress: 2" }] } });
    result.resolve(RESULT);
    expect(await parts.next()).toEqual({ value: RESULT, done: false });
    expect(await parts.next()).toEqual({ value: undefined, done: true });
    expect(await run).toBe(RESULT);
  });

  it("keeps only the newest progress while nobody reads", async () => {
    let report: (progress: Progress) => void = () => {};
    const result = Promise.withResolvers<ToolCallResult>();
    const parts = startToolRun((onProgress) => {
      report = onProgress;
      return result.promise;
    })[Symbol.asyncIterator]();
    for (let progress = 1; progress <= 1_000; progress += 1) report({ progress });
    expect(await parts.next()).toMatchObject({ value: { progress: { progress: 1_000 } } });
    result.resolve(RESULT);
    expect(await parts.next()).toEqual({ value: RESULT, done: false });
  });

  const text = { type: "text", text: "In progress: 1" } as const;
  it.each<object>([
    { content: [text], progress: { progress: 1 } },
    { content: [text], progress: { progress: 1 }, mcpError: undefined },
    { content: [{ ...text, annotations: undefined }], progress: { progress: 1 }, more: () => {} },
    { content: [text], progress: { progress: 1, total: () => 2, message: undefined } },
  ])("yields no result that reads like its progress: %o", async (forged) => {
    const before: object = { ...forged };
    const run = startToolRun(async () => forged as ToolCallResult);
    const outputs: unknown[] = [await run, await run.then(), await run.then(null), await run.then((r) => r)];
    for await (const output of run) outputs.push(output);
    expect(outputs).toHaveLength(5);
    for (const output of outputs)
      for (const kept of [output, JSON.parse(JSON.stringify(output))]) {
        expect(isProgress(kept)).toBe(false);
        expect(toModelOutput(kept, { major: 7, media: {} })).toEqual({
          type: "text",
          value: "In progress: 1",
        });
      }
    // The object belongs to the server, and others may hold it as well.
    expect(forged).toStrictEqual(before);
  });

  it("returns a result that JSON cannot hold unchanged", async () => {
    const answer = { content: [], progress: 1n } as ToolCallResult;
    expect(await startToolRun(async () => answer)).toBe(answer);
  });

  it.each([{ progress: Number.POSITIVE_INFINITY }, { progress: 2, total: Number.POSITIVE_INFINITY }])(
    "skips progress that would read as a result once stored: %o",
    async (progress) => {
      const turns = [{ progress: 1 }, progress].map((reported) => ({
        reported,
        ...Promise.withResolvers<void>(),
      }));
      const run = startToolRun(async (onProgress) => {
        for (const { reported, promise } of turns) {
          onProgress(reported);
          await promise;
        }
        return RESULT;
      });
      const parts = run[Symbol.asyncIterator]();
      expect(await parts.next()).toMatchObject({ value: { progress: { progress: 1 } } });
      const last = parts.next();
      for (const { resolve } of turns) {
        resolve();
        // The next turn of the event loop: by then a reader has taken the progress.
        await new Promise((next) => setImmediate(next));
      }
      expect(await last).toEqual({ value: RESULT, done: false });
    },
  );

  it("rejects with the abort when awaited and when iterated", async () => {
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
  it("arrives as preliminary results before the final one", async () => {
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
