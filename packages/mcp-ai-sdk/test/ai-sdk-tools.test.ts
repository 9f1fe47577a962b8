import { type CallOptions, McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeTool } from "@jackfield/test-kit";
import { asSchema, fingerprintTools } from "ai";
import { describe, expect, it } from "vitest";
import { aiSdkTools, isFailedCall } from "../src/index.ts";
import { RUNS, scriptedModel } from "./scripted-model.ts";

const EXECUTE_OPTIONS = { toolCallId: "call-0", messages: [], context: {} };

const answers = (result: ToolCallResult): FakeTool => ({ definition: { name: "ask" }, call: () => result });

const fails = (error: unknown): FakeTool => ({
  definition: { name: "ask" },
  call: () => {
    throw error;
  },
});

const callOnce = () => scriptedModel([[{ tool: "mcp__fake__ask", input: '{"q":1}' }], "Done."]);

describe.each(RUNS)("in a loop of $name", ({ run, major }) => {
  it("a tool call reaches the source, and its result reaches the model", async () => {
    const answer: ToolCallResult = { content: [{ type: "text", text: "42" }], _meta: { "a/b": 1 } };
    const source = createFakeToolSource([answers(answer)]);
    const outcome = await run(callOnce(), aiSdkTools(source));
    expect(source.calls).toMatchObject([
      { tool: { server: "fake", tool: "ask" }, args: { q: 1 }, options: { audience: "model" } },
    ]);
    expect(outcome).toMatchObject({
      text: "Done.",
      outputs: [answer],
      errors: [],
      toModel: [{ type: "text", value: "42" }],
    });
  });

  it("[T26] an image reaches the model as a file", async () => {
    const content: ToolCallResult["content"] = [
      { type: "text", text: "A dot:" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ];
    const tools = aiSdkTools(createFakeToolSource([answers({ content })]), { media: { image: true } });
    const { toModel } = await run(callOnce(), tools);
    expect(toModel).toEqual([
      {
        type: "content",
        value: [
          { type: "text", text: "A dot:" },
          major === 7
            ? { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } }
            : { type: "image-data", mediaType: "image/png", data: "iVBORw0KGgo=" },
        ],
      },
    ]);
  });

  it.each(["%%%", "https://example.org/a.png"])(
    "an image with the invalid data %j is only named, and the loop goes on",
    async (data) => {
      const content: ToolCallResult["content"] = [{ type: "image", data, mimeType: "image/png" }];
      const source = createFakeToolSource([answers({ content })]);
      const { text, toModel } = await run(callOnce(), aiSdkTools(source));
      expect(toModel).toEqual([{ type: "text", value: "[image: image/png, not shown]" }]);
      expect(text).toBe("Done.");
    },
  );

  it("[T25] structured content without other content reaches the model as JSON", async () => {
    const source = createFakeToolSource([answers({ content: [], structuredContent: { rows: [1] } })]);
    const { toModel } = await run(callOnce(), aiSdkTools(source));
    expect(toModel).toEqual([{ type: "json", value: { rows: [1] } }]);
  });

  it("[T23] an error result reaches the model as error-text, and the loop goes on", async () => {
    const answer: ToolCallResult = { content: [{ type: "text", text: "no such row" }], isError: true };
    const { text, outputs, toModel } = await run(
      callOnce(),
      aiSdkTools(createFakeToolSource([answers(answer)])),
    );
    expect(toModel).toEqual([{ type: "error-text", value: "no such row" }]);
    expect(outputs).toEqual([answer]);
    expect(text).toBe("Done.");
  });

  it("a failed call reaches the model as error-text and the program as data", async () => {
    const error = new McpError("MCP_SESSION_LOST", "The connection ended.", {
      server: "fake",
      tool: "ask",
      outcome: "unknown",
      cause: new Error("token=s3cret"),
    });
    const { text, outputs, errors, toModel } = await run(
      callOnce(),
      aiSdkTools(createFakeToolSource([fails(error)])),
    );
    expect(toModel).toEqual([{ type: "error-text", value: expect.stringContaining("may have run") }]);
    expect(outputs).toMatchObject([{ mcpError: { code: "MCP_SESSION_LOST", message: error.message } }]);
    expect(outputs.every(isFailedCall)).toBe(true);
    expect(errors).toEqual([]);
    expect(text).toBe("Done.");
    expect(JSON.stringify([outputs, toModel])).not.toContain("s3cret");
  });

  it("a call that needs its user to log in gives the program what a page can show", async () => {
    const login = { server: "fake", principal: "ann", scopes: ["read"] };
    const error = new McpError("MCP_AUTH_REQUIRED", "It requires a login.", { server: "fake", login });
    const { outputs, text } = await run(callOnce(), aiSdkTools(createFakeToolSource([fails(error)])));
    expect(outputs.map((output) => isFailedCall(output) && output.mcpError.login)).toEqual([login]);
    expect(text).toBe("Done.");
  });

  it("a tool removed since the snapshot answers with MCP_TOOL_UNKNOWN", async () => {
    const source = createFakeToolSource([answers({ content: [] })]);
    const tools = aiSdkTools(source);
    source.replaceTools([]);
    const { text, toModel } = await run(callOnce(), tools);
    expect(toModel).toEqual([{ type: "error-text", value: expect.stringContaining("MCP_TOOL_UNKNOWN") }]);
    expect(text).toBe("Done.");
  });

  it("[T20] arguments that are not an object are not sent", async () => {
    const source = createFakeToolSource([answers({ content: [] })]);
    const model = scriptedModel([[{ tool: "mcp__fake__ask", input: "[1]" }], "Done."]);
    const { toModel } = await run(model, aiSdkTools(source));
    expect(source.calls).toEqual([]);
    expect(toModel).toEqual([
      { type: "error-text", value: expect.stringContaining("MCP_ARGUMENTS_INVALID") },
    ]);
  });

  it.each(["mcp__fake__other", "toString", "__proto__", "constructor"])(
    "a call to an unknown tool is refused by name: %s",
    async (tool) => {
      const source = createFakeToolSource([answers({ content: [] })]);
      const { errors, text } = await run(
        scriptedModel([[{ tool, input: "{}" }], "Done."]),
        aiSdkTools(source),
      );
      expect(String(errors)).toContain(`unavailable tool '${tool}'`);
      expect(source.calls).toEqual([]);
      expect(text).toBe("Done.");
    },
  );

  it("tools named like members of Object.prototype are ordinary tools", async () => {
    const names = ["__proto__", "constructor", "toString"];
    const source = createFakeToolSource(names.map((name) => ({ name, definition: { name } })));
    const model = scriptedModel([names.map((tool) => ({ tool, input: `{"q":"${tool}"}` })), "Done."]);
    const { toModel } = await run(model, aiSdkTools(source));
    expect(toModel).toEqual(names.map((name) => ({ type: "text", value: `{"q":"${name}"}` })));
  });

  it("an abort reaches the source, ends the run and is not shown to the model", async () => {
    const controller = new AbortController();
    const seen: CallOptions[] = [];
    const source = createFakeToolSource([
      {
        definition: { name: "ask" },
        call: (_args, options) => {
          seen.push(options);
          controller.abort();
          return new Promise(() => {});
        },
      },
    ]);
    const model = callOnce();
    await expect(run(model, aiSdkTools(source), { abortSignal: controller.signal })).rejects.toThrow();
    expect(seen[0]?.signal?.aborted).toBe(true);
    expect(model.calls).toHaveLength(1);
  });
});

describe("a tool", () => {
  it("shows the model the server's schema unchanged under the profile none", async () => {
    const inputSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object" as const,
      properties: { filter: { type: "object", properties: { id: { $ref: "#/$defs/id" } } } },
      $defs: { id: { type: "string", pattern: "^[\\w-\\.]+$" } },
      "x-vendor": { kept: true },
    };
    const before = structuredClone(inputSchema);
    const source = createFakeToolSource([{ definition: { name: "ask", description: "Asks.", inputSchema } }]);
    const model = scriptedModel(["Done."]);
    await RUNS[0]?.run(model, aiSdkTools(source, { schemaProfile: "none" }));
    expect(model.calls[0]?.tools).toEqual([
      { type: "function", name: "mcp__fake__ask", description: "Asks.", inputSchema: before, strict: false },
    ]);
    expect(inputSchema).toEqual(before);
  });

  it("has a Standard Schema that returns a copy of the server's schema", () => {
    const inputSchema = { type: "object" as const, properties: {} };
    const [tool] = Object.values(
      aiSdkTools(createFakeToolSource([{ definition: { name: "ask", inputSchema } }]), {
        schemaProfile: "none",
      }),
    );
    const standard = tool?.inputSchema["~standard"];
    expect(standard?.jsonSchema.input()).toEqual(inputSchema);
    expect(standard?.jsonSchema.input()).not.toBe(inputSchema);
    expect(standard?.validate({ a: 1 })).toEqual({ value: { a: 1 } });
    expect(standard?.validate(7)).toMatchObject({ issues: [{ message: expect.stringContaining("object") }] });
    expect(tool && asSchema(tool.inputSchema).jsonSchema).toBe(inputSchema);
  });

  it("rejects with MCP_ABORTED when its signal is aborted", async () => {
    const tools = aiSdkTools(createFakeToolSource([{ definition: { name: "ask" } }]));
    const call = tools.mcp__fake__ask?.execute({}, { ...EXECUTE_OPTIONS, abortSignal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: "MCP_ABORTED" });
  });

  it("can be fingerprinted by the SDK's drift detection", async () => {
    const tools = aiSdkTools(createFakeToolSource([{ definition: { name: "ask" } }]));
    expect(Object.keys(await fingerprintTools(tools))).toEqual(["mcp__fake__ask"]);
  });
});

describe("the tool set", () => {
  it("is a snapshot of the source's tools", () => {
    const source = createFakeToolSource([{ definition: { name: "b" } }, { definition: { name: "a" } }]);
    const tools = aiSdkTools(source);
    source.replaceTools([{ definition: { name: "c" } }]);
    expect(Object.keys(tools)).toEqual(["mcp__fake__a", "mcp__fake__b"]);
    expect(Object.keys(aiSdkTools(source))).toEqual(["mcp__fake__c"]);
  });

  it("holds only the selected tools", () => {
    const source = createFakeToolSource(
      ["read", "write", "delete"].map((name) => ({ definition: { name } })),
    );
    const tools = aiSdkTools(source, { include: ["read", "mcp__fake__*te"], exclude: ["delete"] });
    expect(Object.keys(tools)).toEqual(["mcp__fake__read", "mcp__fake__write"]);
  });
});
