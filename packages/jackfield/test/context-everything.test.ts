import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything } from "./fixture.ts";

useLeakCheck();

const URI = "demo://resource/dynamic/text/1";

describe("the reference server", () => {
  it("serves resources, templates, prompts and completion, and sends subscribed updates", async () => {
    const mcp = await openMcp({
      servers: { everything },
      discover: false,
      cache: false,
      limits: { resourceUpdateQuietMs: 0 },
    });
    try {
      const [resources, templates, prompts] = await Promise.all([
        mcp.resources("everything"),
        mcp.resourceTemplates(),
        mcp.prompts("everything"),
      ]);
      expect(resources.length).toBeGreaterThan(0);
      expect(resources.every(({ server, uri }) => server === "everything" && uri !== "")).toBe(true);
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain(
        "demo://resource/dynamic/text/{resourceId}",
      );
      expect(prompts.map(({ name }) => name)).toContain("completable-prompt");

      const read = await mcp.readResource("everything", URI);
      expect(read.contents).toMatchObject([{ uri: URI, text: expect.stringContaining("Resource 1") }]);
      const args = { department: "Sales", name: "Eve" };
      const prompt = await mcp.getPrompt("everything", "completable-prompt", args);
      expect(JSON.stringify(prompt.messages)).toContain("promote Eve to the head of the Sales team");
      const completed = await mcp.complete("everything", {
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "name", value: "D" },
        context: { arguments: { department: "Sales" } },
      });
      expect(completed.completion.values).toEqual(["David"]);

      const heard: string[] = [];
      const changed = Promise.withResolvers<void>();
      mcp.on("resourceUpdated", ({ uri }) => heard.push(uri));
      const subscription = await mcp.subscribe("everything", URI, changed.resolve);
      await mcp.callTool("mcp__everything__toggle-subscriber-updates");
      await changed.promise;
      expect(heard).toEqual([URI]);
      await subscription.close();
    } finally {
      await mcp.close();
    }
  });

  it("rejects unknown resources and prompts, and stays usable", async () => {
    const mcp = await openMcp({ servers: { everything }, discover: false, cache: false });
    try {
      const refused = { server: "everything", code: "MCP_REQUEST_REJECTED", outcome: "rejected" };
      await expect(mcp.readResource("everything", "demo://nowhere")).rejects.toMatchObject(refused);
      await expect(mcp.getPrompt("everything", "no-such-prompt")).rejects.toMatchObject(refused);
      await expect(mcp.resources("nobody")).rejects.toMatchObject({ code: "MCP_SERVER_UNKNOWN" });
      expect(await mcp.prompts()).not.toEqual([]);
    } finally {
      await mcp.close();
    }
  });
});
