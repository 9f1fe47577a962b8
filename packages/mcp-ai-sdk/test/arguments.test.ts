import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../src/index.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const NAMED = {
  definition: {
    name: "ask",
    inputSchema: {
      type: "object" as const,
      properties: { name: { type: "string", pattern: "^(a+)+$" }, age: { type: "integer" } },
      required: ["name"],
    },
  },
};
const UNION = {
  definition: {
    name: "ask",
    inputSchema: { type: "object" as const, oneOf: [{ required: ["id"] }, { required: ["name"] }] },
  },
};

const call = (input: string) => scriptedModel([[{ tool: "mcp__fake__ask", input }], "Done."]);

describe.each(RUNS)("in a loop of $name", ({ run }) => {
  it.each([
    ["[T19] without a required name", '{"age":3}', "MCP_ARGUMENTS_INVALID", 'must have \\"name\\"'],
    ["of a wrong type", '{"name":"aa","age":"old"}', "MCP_ARGUMENTS_INVALID", "must be of type integer"],
  ])("arguments %s are not sent, and the model reads why", async (_title, input, code, why) => {
    const source = createFakeToolSource([NAMED]);
    const { text, toModel, errors } = await run(call(input), aiSdkTools(source));
    expect(source.calls).toEqual([]);
    const [shown] = toModel as [{ type: string; value: string }];
    expect(shown.type).toBe("error-text");
    expect(shown.value).toContain(code);
    expect(JSON.stringify(shown.value)).toContain(why);
    expect(shown.value).not.toContain("aaaaaaaaaa");
    expect(errors).toHaveLength(1);
    expect(text).toBe("Done.");
  });

  it("[T63] arguments for a pattern that may run away are left to the server", async () => {
    const source = createFakeToolSource([NAMED]);
    const { text } = await run(call(`{"name":"${"a".repeat(60)}!"}`), aiSdkTools(source));
    expect(source.calls).toHaveLength(1);
    expect(text).toBe("Done.");
  });

  it("a root union wrapped for the model is unwrapped for the server", async () => {
    const source = createFakeToolSource([UNION]);
    const model = call('{"input":{"id":1}}');
    await run(model, aiSdkTools(source, { schemaProfile: "openai" }));
    expect(model.calls[0]?.tools).toMatchObject([{ inputSchema: { type: "object", required: ["input"] } }]);
    expect(source.calls.map(({ args }) => args)).toEqual([{ id: 1 }]);
  });

  it("arguments under a wrapped root are checked against the server's schema", async () => {
    const source = createFakeToolSource([UNION]);
    const tools = aiSdkTools(source, { schemaProfile: "openai" });
    const { toModel } = await run(call('{"input":{"id":1,"name":2}}'), tools);
    expect(source.calls).toEqual([]);
    expect(toModel).toMatchObject([
      { type: "error-text", value: expect.stringContaining("only one alternative") },
    ]);
  });
});
