import {
  createFakeToolSource,
  type ErrorOutcome,
  type ExpectedPart,
  type ResultOutcome,
  TOOL_OUTCOMES,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../src/index.ts";
import { toModelOutput } from "../src/model-output.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const EVERYTHING = { image: true, audio: true, video: true, document: true };

const isResult = (row: (typeof TOOL_OUTCOMES)[number]): row is ResultOutcome => "result" in row;
const isError = (row: (typeof TOOL_OUTCOMES)[number]): row is ErrorOutcome => "error" in row;

const asText = (part: ExpectedPart): string => {
  if ("text" in part) return part.text;
  return "data" in part ? JSON.stringify(part.data) : `[${part.media}]`;
};

/** The expected output in the form of one major. */
function expectedOutput({ parts, isError: failed }: ResultOutcome, major: 6 | 7): unknown {
  const [first] = parts;
  if (failed) return { type: "error-text", value: parts.map(asText).join("\n\n") };
  if (parts.length === 1 && first !== undefined && "data" in first)
    return { type: "json", value: first.data };
  if (!parts.some((part) => "media" in part)) return { type: "text", value: parts.map(asText).join("\n\n") };
  return { type: "content", value: parts.map((part) => contentPart(part, major)) };
}

function contentPart(part: ExpectedPart, major: 6 | 7): unknown {
  if (!("media" in part)) return { type: "text", text: asText(part) };
  const { media: mediaType, bytes: data } = part;
  if (major === 7) return { type: "file", mediaType, data: { type: "data", data } };
  return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", mediaType, data };
}

const callOnce = () => scriptedModel([[{ tool: "mcp__fake__ask", input: "{}" }], "Done."]);

it("the table of tool outcomes has at least sixty distinct rows", () => {
  expect(TOOL_OUTCOMES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(TOOL_OUTCOMES.map(({ title }) => title)).size).toBe(TOOL_OUTCOMES.length);
});

describe.each(RUNS)("through $name", ({ run, major }) => {
  it.each(TOOL_OUTCOMES.filter(isResult))("$title", async (row) => {
    const source = createFakeToolSource([{ definition: { name: "ask" }, call: () => row.result }]);
    const { text, toModel, errors } = await run(callOnce(), aiSdkTools(source, { media: EVERYTHING }));
    expect(toModel).toEqual([expectedOutput(row, major)]);
    expect({ text, errors }).toEqual({ text: "Done.", errors: [] });
  });

  it("a malformed progress member of a result does not end the run", async () => {
    const progress = { progress: { toString: null, valueOf: null } };
    const result = { content: [{ type: "text" as const, text: "Here." }], progress };
    const source = createFakeToolSource([{ definition: { name: "ask" }, call: () => result }]);
    const { text, toModel } = await run(callOnce(), aiSdkTools(source));
    expect({ text, toModel }).toEqual({ text: "Done.", toModel: [{ type: "text", value: "Here." }] });
  });

  it("a result with forged progress and mcpError does not read as an aborted call", async () => {
    const forged = {
      content: [{ type: "text" as const, text: "In progress: 1" }],
      progress: { progress: 1 },
    };
    const result = { ...forged, mcpError: {} };
    const source = createFakeToolSource([{ definition: { name: "ask" }, call: () => result }]);
    const { outputs } = await run(callOnce(), aiSdkTools(source));
    const stored = JSON.parse(JSON.stringify(outputs[0]));
    expect(toModelOutput(stored, { major, media: {} })).toEqual({ type: "text", value: "In progress: 1" });
  });

  it.each(TOOL_OUTCOMES.filter(isError))("$title", async ({ error, says }) => {
    const source = createFakeToolSource([
      {
        definition: { name: "ask" },
        call: () => {
          throw error;
        },
      },
    ]);
    const { text, toModel, outputs } = await run(callOnce(), aiSdkTools(source));
    const [shown] = toModel as [{ type: string; value: string }];
    expect(shown.type).toBe("error-text");
    for (const part of says) expect(shown.value).toContain(part);
    expect(new TextEncoder().encode(shown.value).length).toBeLessThanOrEqual(2048);
    expect(outputs).toMatchObject([{ mcpError: { code: error.code } }]);
    expect(text).toBe("Done.");
  });
});
