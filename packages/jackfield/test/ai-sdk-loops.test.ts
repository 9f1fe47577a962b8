import { aiSdkCallSettings, aiSdkLiveTools, aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { LOOPS } from "./ai-sdk-model.ts";
import { everything } from "./fixture.ts";
import { TRANSPORTS } from "./served-runtime.ts";

useLeakCheck();

const call = (tool: string, input: object = {}) => [{ tool: `mcp__s__${tool}`, input }];

describe.each(LOOPS)("an agent loop through $name", (loop) => {
  it.each(TRANSPORTS)(
    "calls each tool of a real server over %s once, and gives the model its result",
    async (_name, serve) => {
      await using served = await serve();
      const steps = [
        call("echo", { q: 1 }),
        call("structured", { rows: 2 }),
        call("fail"),
        call("image"),
        "Done.",
      ];
      const { text, toModel } = await loop.run(steps, served.mcp);
      expect(text).toBe("Done.");
      expect(toModel).toMatchObject([
        { type: "text", value: '{"q":1}' },
        // The server repeats the data as text; the model reads them once.
        { type: "text", value: '{"rows":2}' },
        { type: "error-text", value: "It failed, as it was asked to." },
        { type: "content" },
      ]);
      expect(served.received("tools/call")).toBe(4);
    },
  );

  it.each(TRANSPORTS)(
    "continues if the server is killed during a call over %s, and tells the model that the call may have run",
    async (_name, serve) => {
      await using served = await serve({}, { isKilledInCall: true });
      const { text, toModel } = await loop.run([call("echo", { q: 1 }), "I cannot tell."], served.mcp);
      expect(text).toBe("I cannot tell.");
      expect(toModel).toMatchObject([
        { type: "error-text", value: expect.stringContaining("it may have run") },
      ]);
      expect(served.received("tools/call")).toBe(1);
    },
  );

  it.each(TRANSPORTS)(
    "offers a tool that the server added during a call over %s in the next step",
    async (_name, serve) => {
      const late = { name: "late", inputSchema: { type: "object" as const } };
      const echo = { name: "echo", inputSchema: { type: "object" as const } };
      await using served = await serve({ listChangedAfterCall: [echo, late] });
      const { mcp } = served;
      const changed = new Promise((resolve) => mcp.on("toolsChanged", resolve));
      const { tools, prepareStep } = aiSdkLiveTools(mcp);
      const { text, requests } = await loop.run(
        [call("echo", { first: true }), call("late", { q: 2 }), "Done."],
        tools,
        {
          prepareStep: async ({ stepNumber }: { stepNumber: number }) => {
            if (stepNumber === 1) await changed;
            return prepareStep();
          },
        },
      );
      expect(requests[0]?.tools?.map(({ name }) => name)).not.toContain("mcp__s__late");
      expect(requests[1]?.tools?.map(({ name }) => name)).toEqual(["mcp__s__echo", "mcp__s__late"]);
      expect(text).toBe("Done.");
      expect(served.received("tools/call")).toBe(2);
    },
  );

  it.each(TRANSPORTS)(
    "rejects when aborted during a call over %s, and cancels the call at the server",
    async (_name, serve) => {
      await using served = await serve({ silentOn: ["tools/call"] });
      const hasReceived = (method: string) => expect.poll(() => served.received(method)).toBe(1);
      const controller = new AbortController();
      const run = loop.run([call("echo"), "Not reached."], served.mcp, { abortSignal: controller.signal });
      const ended = expect(run).rejects.toThrow();
      await hasReceived("tools/call");
      controller.abort();
      await ended;
      await hasReceived("notifications/cancelled");
    },
  );

  it.each(TRANSPORTS)("sends no call over %s that the user denied", async (_name, serve) => {
    await using served = await serve();
    const { tools, ...more } =
      loop.major === 7
        ? aiSdkCallSettings(served.mcp, { approval: "always" })
        : { tools: aiSdkTools(served.mcp, { approval: "always" }) };
    const user = { role: "user", content: "Do it." };
    const asked = await loop.run([call("echo")], tools, { ...more, messages: [user] });
    const request = JSON.stringify(asked.messages).match(/"approvalId":"([^"]+)"/);
    expect(request).not.toBeNull();
    const answer = { type: "tool-approval-response", approvalId: request?.[1], approved: false };
    const messages = [user, ...asked.messages, { role: "tool", content: [answer] }];
    const { text } = await loop.run(["As you wish."], tools, { ...more, messages });
    expect(text).toBe("As you wish.");
    expect(served.received("tools/call")).toBe(0);
  });
});

describe("the reference server", () => {
  it("has an object schema for every tool in every schema profile", async () => {
    const mcp = await openMcp({ cache: false, servers: { everything } });
    try {
      for (const schemaProfile of ["openai", "anthropic", "gemini", "none"] as const) {
        const tools = Object.values(aiSdkTools(mcp, { schemaProfile }));
        expect(tools.length).toBeGreaterThan(5);
        for (const { inputSchema } of tools) expect(inputSchema.jsonSchema.type).toBe("object");
      }
    } finally {
      await mcp.close();
    }
  });
});
