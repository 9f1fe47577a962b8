import { McpError } from "@jackfield/mcp-core";
import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import type { McpManagerOptions } from "../../src/index.ts";
import { createFixture } from "../manager-fixture.ts";

const shared = stdioDefinition("shared", { shared: true });
const gone = new McpError("MCP_SESSION_LOST", "Gone.");

async function lenderAndUser(options: Partial<McpManagerOptions> = {}) {
  const { manager, sessions, connector } = createFixture([shared, stdioDefinition("own")], options);
  await manager.start();
  const user = manager.forPrincipal("ann");
  await user.start();
  const status = () => user.servers().find(({ name }) => name === "shared")?.status;
  return { manager, user, sessions, connector, status };
}

describe("a borrowed server", () => {
  it.each(["keep", "drop"] as const)(
    "is ready again when the lender reconnects after a disconnect (failures: %s)",
    async (failures) => {
      const { manager, user, status } = await lenderAndUser({ startup: { failures } });
      await using _ = manager;
      await manager.disconnect("shared");
      await vi.waitFor(() => expect(status()).toBe(failures === "keep" ? "failed" : undefined));
      await manager.reconnect("shared");
      await vi.waitFor(() => expect(status()).toBe("ready"));
      await user.callTool("mcp__shared__echo");
    },
  );

  it("reconnects together with the lender, without waiting for its own backoff", async () => {
    const retry = { initialDelayMs: 60_000, restartsAtOnce: false, jitter: "none" } as const;
    const { manager, sessions, status } = await lenderAndUser({ retry });
    await using _ = manager;
    sessions.get("shared")?.lose(gone);
    await vi.waitFor(() => expect(status()).toBe("backoff"));
    await manager.reconnect("shared");
    await vi.waitFor(() => expect(status()).toBe("ready"));
  });

  it("stays disconnected if its own user disconnected it", async () => {
    const { manager, user, status } = await lenderAndUser();
    await using _ = manager;
    await user.disconnect("shared");
    await manager.reconnect("shared");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(status()).toBe("idle");
  });

  it("reconnecting a server that is not shared leaves the user's own session of it alone", async () => {
    const { manager, user, connector } = await lenderAndUser({ retry: { maxRetries: 0 } });
    await using _ = manager;
    const attempts = connector.attempts.length;
    await manager.reconnect("own");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(connector.attempts).toHaveLength(attempts + 1);
    expect(user.servers().every((server) => server.status === "ready")).toBe(true);
  });
});
