import { type ToolDescriptor, toolDigest } from "@jackfield/mcp-core";
import { createFakeToolSource, type FakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import {
  type AiSdkToolSet,
  type AiSdkToolsOptions,
  aiSdkCallSettings,
  aiSdkLiveTools,
  aiSdkTools,
  type ToolApproval,
} from "../src/index.ts";
import { RUNS, type Run, type RunOptions, scriptedModel } from "./scripted-model.ts";

const TOOLS = [
  { definition: { name: "look", annotations: { readOnlyHint: true } } },
  { definition: { name: "wipe", annotations: { destructiveHint: true } } },
];

const wipeDigest = (source: FakeToolSource) => toolDigest(source.tools().at(-1) as ToolDescriptor);

interface Asked {
  readonly request: { readonly approvalId: string } | undefined;
  readonly messages: readonly unknown[];
}

/** Has the model call a tool, and gives what a person is asked. */
async function ask(
  { run, major }: Run,
  source: FakeToolSource,
  tool: string,
  options: AiSdkToolsOptions,
): Promise<Asked> {
  const model = scriptedModel([[{ tool: `mcp__fake__${tool}`, input: '{"path":"a"}' }], "Done."]);
  const user = { role: "user", content: "Do it." };
  const { parts, messages } = await run(model, ...setUp(major, source, options, [user]));
  const request = parts.find(({ type }) => type === "tool-approval-request");
  return { request: request as unknown as Asked["request"], messages: [user, ...messages] };
}

/** Gives a person's answer and lets the run go on. */
async function reply(
  { run, major }: Run,
  source: FakeToolSource,
  { request, messages }: Asked,
  approved: boolean,
  options: AiSdkToolsOptions,
) {
  const model = scriptedModel(["Done."]);
  const response = {
    type: "tool-approval-response",
    approvalId: request?.approvalId,
    approved,
    reason: "No.",
  };
  const conversation = [...messages, { role: "tool", content: [response] }];
  const outcome = await run(model, ...setUp(major, source, options, conversation));
  return { ...outcome, model };
}

function setUp(
  major: 6 | 7,
  source: FakeToolSource,
  options: AiSdkToolsOptions,
  messages: readonly unknown[],
): [AiSdkToolSet, RunOptions] {
  if (major === 6) return [aiSdkTools(source, options), { messages }];
  const { tools, ...more } = aiSdkCallSettings(source, options);
  return [tools, { messages, more }];
}

describe.each(RUNS)("in $name", (way) => {
  it.each<[ToolApproval | undefined, string, boolean]>([
    [undefined, "wipe", false],
    ["off", "wipe", false],
    ["annotations", "look", false],
    ["annotations", "wipe", true],
    ["always", "look", true],
    [({ tool, args }) => tool.originalName === "wipe" && args.path === "a", "wipe", true],
    [() => false, "wipe", false],
  ])("under approval %s a call of %s asks a person: %s", async (approval, tool, isAsked) => {
    const source = createFakeToolSource(TOOLS);
    const { request } = await ask(way, source, tool, { approval });
    expect(request !== undefined).toBe(isAsked);
    expect(source.calls).toHaveLength(isAsked ? 0 : 1);
  });

  it("an approved call is made once, as a call of the tool that was shown", async () => {
    const source = createFakeToolSource(TOOLS);
    const options: AiSdkToolsOptions = { approval: "always" };
    const { text, toModel } = await reply(
      way,
      source,
      await ask(way, source, "wipe", options),
      true,
      options,
    );
    expect(source.calls).toMatchObject([{ args: { path: "a" }, options: { approved: wipeDigest(source) } }]);
    expect(toModel).toContainEqual({ type: "text", value: '{"path":"a"}' });
    expect(text).toBe("Done.");
  });

  it("an approved call is answered with MCP_TOOL_UNKNOWN after its tool left a live set", async () => {
    const source = createFakeToolSource(TOOLS);
    const { tools, prepareStep } = aiSdkLiveTools(source, { approval: "always" });
    const user = { role: "user", content: "Do it." };
    const first = scriptedModel([[{ tool: "mcp__fake__wipe", input: "{}" }]]);
    const { parts, messages } = await way.run(first, tools, { messages: [user], prepareStep });
    const { approvalId } = parts.find(({ type }) => type === "tool-approval-request") as never;
    source.replaceTools([]);
    prepareStep();
    const response = { type: "tool-approval-response", approvalId, approved: true };
    const conversation = [user, ...messages, { role: "tool", content: [response] }];
    const { text, toModel } = await way.run(scriptedModel(["Done."]), tools, {
      messages: conversation,
      prepareStep,
    });
    expect(text).toBe("Done.");
    expect(JSON.stringify(toModel)).toContain("MCP_TOOL_UNKNOWN");
  });

  it("a call whose tool is missing from a new set can still be rejected", async () => {
    const source = createFakeToolSource(TOOLS);
    const options: AiSdkToolsOptions = { approval: "always" };
    const asked = await ask(way, source, "wipe", options);
    source.replaceTools([]);
    const { text, toModel } = await reply(way, source, asked, false, options);
    expect(text).toBe("Done.");
    expect(JSON.stringify(toModel)).toContain("No.");
  });

  it("a rejected call is not made, and the model reads the reason", async () => {
    const source = createFakeToolSource(TOOLS);
    const options: AiSdkToolsOptions = { approval: "always" };
    const { text, toModel } = await reply(
      way,
      source,
      await ask(way, source, "wipe", options),
      false,
      options,
    );
    expect(source.calls).toEqual([]);
    expect(JSON.stringify(toModel)).toContain("No.");
    expect(text).toBe("Done.");
  });

  it("an approval is not inherited by a later call with the same id", async () => {
    const source = createFakeToolSource(TOOLS);
    const call = { toolCallId: "call-0", toolName: "mcp__fake__wipe" };
    const conversation = [
      { role: "user", content: "Do it." },
      {
        role: "assistant",
        content: [
          { type: "tool-call", ...call, input: { path: "a" } },
          { type: "tool-approval-request", approvalId: "1", toolCallId: "call-0" },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-approval-response", approvalId: "1", approved: true },
          { type: "tool-result", ...call, output: { type: "text", value: "Done." } },
        ],
      },
      { role: "user", content: "Again." },
    ];
    for (const path of ["a", "b"]) {
      const model = scriptedModel([[{ tool: call.toolName, input: JSON.stringify({ path }) }], "Done."]);
      await way.run(model, ...setUp(way.major, source, { approval: "off" }, conversation));
      expect(source.calls.at(-1)).toMatchObject({ args: { path } });
      expect(source.calls.at(-1)?.options.approved).toBeUndefined();
    }
  });

  it("a call that needs no approval is not marked as approved", async () => {
    const source = createFakeToolSource(TOOLS);
    await ask(way, source, "wipe", { approval: "off" });
    expect(source.calls[0]?.options.approved).toBeUndefined();
  });
});

describe("aiSdkCallSettings", () => {
  it("returns the tools in order, with their approvals", () => {
    const { tools, toolOrder, toolApproval } = aiSdkCallSettings(createFakeToolSource(TOOLS), {
      approval: "annotations",
    });
    expect(toolOrder).toEqual(["mcp__fake__look", "mcp__fake__wipe"]);
    expect(Object.keys(tools)).toEqual(toolOrder);
    expect(Object.keys(toolApproval)).toEqual(["mcp__fake__wipe"]);
  });

  it.each(RUNS)(
    "asks a person in $name and the policy once, whichever major it was made for",
    async ({ run }) => {
      for (const sdk of [undefined, 6, 7] as const) {
        const source = createFakeToolSource(TOOLS);
        const asked: string[] = [];
        const approval: ToolApproval = ({ tool: { originalName } }) => asked.push(originalName) > 0;
        const { tools, ...more } = aiSdkCallSettings(source, { approval, sdk });
        const model = scriptedModel([[{ tool: "mcp__fake__wipe", input: "{}" }], "Done."]);
        const { parts } = await run(model, tools, { more });
        expect(parts.map(({ type }) => type)).toContain("tool-approval-request");
        expect(source.calls).toEqual([]);
        expect(asked).toEqual(["wipe"]);
      }
    },
  );

  it("[T40] refuses a misspelt policy", () => {
    const source = createFakeToolSource(TOOLS);
    expect(() => aiSdkCallSettings(source, { approval: "allways" as never })).toThrow(/allways/);
  });
});
