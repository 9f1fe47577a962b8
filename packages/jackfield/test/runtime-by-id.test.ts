import { randomUUID } from "node:crypto";
import { createInProcessFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type InlineServer, type Mcp, type OpenMcpOptions, openMcp } from "../src/index.ts";
import { everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();
useTemporaryHome();

const opened: Mcp[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()));
});

async function open(options: OpenMcpOptions): Promise<Mcp> {
  const mcp = await openMcp({ discover: false, cache: false, log: false, ...options });
  opened.push(mcp);
  return mcp;
}

/** What a module of a program says each time that it is evaluated: equal options, whose functions are new. */
const program = (id: string, said: string[], generation: number): OpenMcpOptions => ({
  id,
  servers: { everything: { ...everything, env: { STAGE: "dev" } } },
  limits: { callTimeoutMs: 30_000 },
  use: [
    async (_call, next) => {
      said.push(`generation ${generation}`);
      return next();
    },
  ],
});

describe("a runtime with an id", () => {
  it("is one for twelve evaluations of a module: one process, and the latest functions are called", async () => {
    const id = randomUUID();
    const said: string[] = [];
    const runtimes = new Set<Mcp>();
    const connectedAt = new Set<unknown>();
    for (let generation = 0; generation < 12; generation += 1) {
      const mcp = await open(program(id, said, generation));
      runtimes.add(mcp);
      await mcp.callTool({ server: "everything", tool: "echo" }, { message: "hello" });
      connectedAt.add(mcp.servers()[0]?.since);
    }
    expect(runtimes.size).toBe(1);
    expect(connectedAt.size).toBe(1);
    expect(said).toEqual(Array.from({ length: 12 }, (_, generation) => `generation ${generation}`));
  });

  it("is one for openings at the same time", async () => {
    const id = randomUUID();
    const servers = { here: { server: createInProcessFaultServer({}) } };
    const [one, other] = await Promise.all([open({ id, servers }), open({ id, servers })]);
    expect(one).toBe(other);
    expect(await open({ id: randomUUID(), servers: {} })).not.toBe(one);
  });

  it("is reloaded if other servers are given, and the others are not touched", async () => {
    const id = randomUUID();
    const kept = { ...everything, env: { STAGE: "dev" } } satisfies InlineServer;
    const mcp = await open({ id, servers: { kept } });
    const { since } = mcp.servers()[0] ?? {};
    expect(
      await open({ id, servers: { kept, added: { server: () => createInProcessFaultServer({}) } } }),
    ).toBe(mcp);
    expect(mcp.servers()).toMatchObject([
      { name: "kept", status: "ready", since },
      { name: "added", status: "ready" },
    ]);
    await open({ id, servers: {} });
    expect(mcp.servers()).toEqual([]);
  });

  it("connects a server in this process again if it is another one", async () => {
    const id = randomUUID();
    const make = (name: string) => ({
      here: {
        server: () => createInProcessFaultServer({ tools: [{ name, inputSchema: { type: "object" } }] }),
      },
    });
    const mcp = await open({ id, servers: make("before") });
    await open({ id, servers: make("after") });
    await vi.waitFor(() => expect(mcp.tools().map(({ originalName }) => originalName)).toContain("after"));
  });

  it("is closed and opened again if other options are given", async () => {
    const id = randomUUID();
    const servers = { here: { server: createInProcessFaultServer({}) } };
    const before = await open({ id, servers });
    const after = await open({ id, servers, limits: { callTimeoutMs: 1_000 } });
    expect(after).not.toBe(before);
    await expect(before.ready()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await after.ready();
  });

  it("is opened again after it was closed, or could not be opened", async () => {
    const id = randomUUID();
    const servers = { here: { server: () => createInProcessFaultServer({}) } };
    await expect(open({ id, servers, guards: { pins: "no-such.lock" } })).rejects.toMatchObject({
      code: "MCP_CONFIG_NOT_FOUND",
    });
    const before = await open({ id, servers });
    const closing = before.close();
    const after = await open({ id, servers });
    await closing;
    expect(after).not.toBe(before);
    await after.ready();
  });
});

it("a production build of Next.js starts no server", async () => {
  vi.stubEnv("NEXT_PHASE", "phase-production-build");
  const mcp = await open({ servers: { everything } });
  expect(mcp.servers()).toMatchObject([{ status: "idle" }]);
});
