import type { ResolvedServer, ServerLimits } from "@jackfield/mcp-core";
import { createFakeConnector, createFakeSession, httpDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMcpManager } from "../../src/index.ts";

const limits = { connectTimeoutMs: 500, callTimeoutMs: 700, maxMessageBytes: 10_000 };

/** What a connector is given of what this resolver says. */
async function reached(server: ResolvedServer): Promise<ResolvedServer | undefined> {
  const { connect, attempts } = createFakeConnector({
    onAttempt: (attempt) => void attempt.open(createFakeSession({ tools: [] })),
  });
  const servers = [{ ...httpDefinition("a"), limits: { callTimeoutMs: 800 } }];
  await using manager = createMcpManager({ servers, connect, resolve: async () => server, limits });
  await manager.start();
  return attempts[0]?.server;
}

const resolved = (own?: ServerLimits): ResolvedServer => ({
  name: "a",
  transport: "http",
  url: "https://a.example",
  headers: {},
  secrets: [],
  ...(own && { limits: own }),
});

describe("the limits of a connection", () => {
  it.each([
    ["sets none", undefined],
    ["sets others", { connectTimeoutMs: 0, idleTimeoutMs: 9 }],
  ])("come from the manager and the definition if the resolver %s", async (_, own) => {
    const server = await reached(resolved(own));
    expect(server).toMatchObject({ limits: { ...limits, callTimeoutMs: 800, idleTimeoutMs: 0 } });
  });

  it("already set by the resolver leave its server object as it is", async () => {
    const known = await reached(resolved());
    if (known === undefined) throw new Error("not reached");
    expect(await reached(known)).toBe(known);
  });
});
