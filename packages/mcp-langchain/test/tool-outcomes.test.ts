import {
  createFakeToolSource,
  type ErrorOutcome,
  type ExpectedPart,
  type FakeTool,
  type ResultOutcome,
  TOOL_OUTCOMES,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { isFailedCall } from "../src/index.ts";
import { SETUPS } from "./setups.ts";

const isResult = (row: (typeof TOOL_OUTCOMES)[number]): row is ResultOutcome => "result" in row;
const isError = (row: (typeof TOOL_OUTCOMES)[number]): row is ErrorOutcome => "error" in row;

const asText = (part: Exclude<ExpectedPart, { media: string }>): string =>
  "text" in part ? part.text : JSON.stringify(part.data);

/** The outcome in LangChain's form: one text, or blocks as soon as one part is not text. */
function expectedBlocks({ parts, isError: failed, title }: ResultOutcome): unknown {
  const texts = parts.flatMap((part) => ("media" in part ? [] : [asText(part)]));
  if (failed && title !== "an error without content")
    return [{ type: "text", text: `The tool reported an error: ${texts.join("\n\n")}` }];
  return texts.length === parts.length ? [{ type: "text", text: texts.join("\n\n") }] : parts.map(block);
}

function block(part: ExpectedPart): object {
  if (!("media" in part)) return { type: "text", text: asText(part) };
  const [kind = ""] = part.media.split("/");
  const type = ["image", "audio", "video"].includes(kind) ? kind : "file";
  return { type, mimeType: part.media, data: part.bytes };
}

const asking = (call: FakeTool["call"]) => createFakeToolSource([{ definition: { name: "ask" }, call }]);

it("the table of tool outcomes has at least sixty rows", () => {
  expect(TOOL_OUTCOMES.length).toBeGreaterThanOrEqual(60);
});

describe.each(SETUPS)("through $name", ({ ask }) => {
  it.each(TOOL_OUTCOMES.filter(isResult))("$title", async (row) => {
    const message = await ask(
      asking(() => row.result),
      { tools: { media: { image: true, audio: true, video: true, document: true } } },
    );
    expect(message.contentBlocks).toEqual(expectedBlocks(row));
    expect(message.status).toBe(row.isError ? "error" : "success");
    expect(isFailedCall(message.artifact)).toBe(false);
  });

  it.each(TOOL_OUTCOMES.filter(isResult))("$title, with artifact: rest, reads the same", async (row) => {
    const source = asking(() => row.result);
    const whole = await ask(source);
    const rest = await ask(source, { tools: { artifact: "rest" } });
    expect(rest.content).toEqual(whole.content);
    expect(JSON.stringify(rest.artifact).length).toBeLessThanOrEqual(
      JSON.stringify(whole.artifact).length + '{"content":[]}'.length,
    );
  });

  it.each(TOOL_OUTCOMES.filter(isError))("$title", async ({ error, says }) => {
    const message = await ask(
      asking(() => {
        throw error;
      }),
    );
    expect(message.status).toBe("error");
    for (const part of says) expect(message.text).toContain(part);
    expect(new TextEncoder().encode(message.text).length).toBeLessThanOrEqual(2048);
    expect(message.artifact).toMatchObject({ mcpError: { code: error.code } });
  });
});
