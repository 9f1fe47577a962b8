import type { ContextSource } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { openedFixture } from "./context-fixture.ts";

/** Every way to ask one server for something besides tools. */
const QUESTIONS: readonly [string, (source: ContextSource, server: string) => Promise<unknown>][] = [
  ["resources", (source, server) => source.resources(server)],
  ["resourceTemplates", (source, server) => source.resourceTemplates(server)],
  ["prompts", (source, server) => source.prompts(server)],
  ["readResource", (source, server) => source.readResource(server, "file:///readme")],
  ["getPrompt", (source, server) => source.getPrompt(server, "review")],
  [
    "complete",
    (source, server) => {
      const argument = { name: "path", value: "r" };
      return source.complete(server, { ref: { type: "ref/prompt", name: "review" }, argument });
    },
  ],
  ["subscribe", (source, server) => source.subscribe(server, "file:///readme", () => {})],
];

describe.each(QUESTIONS)(
  "%s: what cannot be asked is refused by the promise, and nothing is thrown",
  (_, ask) => {
    test("of a server that nobody knows", async () => {
      const { manager } = await openedFixture();
      await using _ = manager;
      const asked = ask(manager, "nobody");
      await expect(asked).rejects.toMatchObject({ code: "MCP_SERVER_UNKNOWN", outcome: "not-sent" });
    });

    test("of a manager that is closed", async () => {
      const { manager } = await openedFixture();
      await manager.close();
      const asked = ask(manager, "s");
      await expect(asked).rejects.toMatchObject({ code: "MCP_CLOSED" });
    });
  },
);
