import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { LOOPS, ToolCallingModel } from "./langchain-model.ts";
import { callOf, TRANSPORTS } from "./served-runtime.ts";

useLeakCheck();

describe.each(LOOPS)("an agent loop through $name", (loop) => {
  it.each(TRANSPORTS)(
    "calls each tool of a real server over %s once, and gives the model its result",
    async (_name, serve) => {
      await using served = await serve();
      const model = new ToolCallingModel([
        callOf("echo", { q: 1 }),
        callOf("structured", { rows: 2 }),
        [...callOf("fail"), ...callOf("image")],
        "All done.",
      ]);
      const { text, toModel } = await loop.run(model, served.mcp);
      expect(text).toBe("All done.");
      expect(toModel).toMatchObject([
        { status: "success", content: '{"q":1}' },
        // The server repeats the data as text; the model reads them once.
        { status: "success", content: '{"rows":2}' },
        { status: "error", content: "The tool reported an error: It failed, as it was asked to." },
        { status: "success", content: [{ type: "image", mimeType: "image/png" }] },
      ]);
      expect(served.received("tools/call")).toBe(4);
    },
  );

  it.each(TRANSPORTS)(
    "continues if the server is killed during a call over %s, and tells the model that the call may have run",
    async (_name, serve) => {
      await using served = await serve({}, { isKilledInCall: true });
      const model = new ToolCallingModel([callOf("echo", { q: 1 }), "I cannot tell."]);
      const { text, toModel } = await loop.run(model, served.mcp);
      expect(text).toBe("I cannot tell.");
      expect(toModel).toMatchObject([
        { status: "error", content: expect.stringContaining("it may have run") },
      ]);
      expect(served.received("tools/call")).toBe(1);
    },
  );

  it.each(TRANSPORTS)(
    "rejects when aborted during a call over %s, cancels the call and does not prompt the model again",
    async (_name, serve) => {
      await using served = await serve({ silentOn: ["tools/call"] });
      const hasReceived = (method: string) => expect.poll(() => served.received(method)).toBe(1);
      const controller = new AbortController();
      const model = new ToolCallingModel([callOf("echo"), "Not reached."]);
      const ended = expect(loop.run(model, served.mcp, { signal: controller.signal })).rejects.toThrow();
      await hasReceived("tools/call");
      controller.abort();
      await ended;
      await hasReceived("notifications/cancelled");
      expect(model.prompts).toHaveLength(1);
    },
  );
});
