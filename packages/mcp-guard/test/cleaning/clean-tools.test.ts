import { describe, expect, test } from "vitest";
import { cleanTools } from "../../src/cleaning/clean-tools.ts";
import { offeredTool } from "../tool-fixture.ts";

const policy = cleanTools();

describe("cleaning what servers say of their tools", () => {
  test("a tool with nothing to clean is offered as the same object", () => {
    const tool = offeredTool({ description: "Reads a file. 👩🏽‍💻", annotations: { readOnlyHint: true } });
    expect(policy(tool)).toBe(tool);
  });

  test("prose is cleaned wherever a model reads it", () => {
    const tool = offeredTool({
      title: "Read\u001b[31m",
      description: "Reads\u200b a file",
      inputSchema: {
        type: "object",
        description: "in\u{e0041}",
        properties: { path: { description: "p\u202eath" } },
      },
      outputSchema: { title: "out\u0007" },
      annotations: { title: "T\u2063" },
    });
    expect(policy(tool)).toMatchObject({
      description: "Reads a file",
      definition: {
        title: "Read",
        description: "Reads a file",
        inputSchema: { description: "in", properties: { path: { description: "path" } } },
        outputSchema: { title: "out" },
        annotations: { title: "T" },
      },
    });
  });

  test("what is compared with arguments is left alone: names, enums, patterns", () => {
    const properties = { "pa\u200bth": { enum: ["a\u200b"], pattern: "\u200b" } };
    const tool = offeredTool({ description: "x\u200b", inputSchema: { type: "object", properties } });
    expect(policy(tool)).toMatchObject({ definition: { inputSchema: { properties } } });
  });

  test.each(["read\u200bfile", "read\u0000file", "read\u{e0041}", "\u202eelif"])(
    "[T54] a tool called %j is not offered",
    (name) => {
      expect(policy(offeredTool({ name }))).toEqual({ blocked: expect.stringMatching(/^its name holds/) });
    },
  );

  test("what is data stays, also where its members are called like prose; what is prose is cleaned, also in arguments of such names", () => {
    const hidden = "a\u200bb";
    const data = { const: { title: hidden }, default: { description: hidden }, enum: [{ title: hidden }] };
    const inputSchema = {
      type: "object" as const,
      properties: {
        x: data,
        title: { description: hidden },
        default: { title: hidden },
        enum: { anyOf: [{ title: hidden }] },
      },
    };
    expect(policy(offeredTool({ inputSchema }))).toMatchObject({
      definition: {
        inputSchema: {
          properties: {
            x: data,
            title: { description: "ab" },
            default: { title: "ab" },
            enum: { anyOf: [{ title: "ab" }] },
          },
        },
      },
    });
  });
});
