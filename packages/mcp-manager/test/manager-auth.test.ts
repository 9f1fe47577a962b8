import { type AuthPort, McpError } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpManager } from "../src/index.ts";
import { tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const challenge = { status: 401, wwwAuthenticate: "Bearer" } as const;

/** A manager whose servers challenge every call and answer after a retry, and the names that the auth port got. */
async function startChallengingServers() {
  const challenged: string[] = [];
  const auth: AuthPort = {
    headers: async () => ({}),
    onChallenge: async ({ name }) => {
      challenged.push(name);
      return "retry";
    },
  };
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      const { server, options } = attempt;
      const answer = async () => {
        const verdict = await options.auth?.onChallenge(server, challenge, {
          signal: new AbortController().signal,
        });
        if (verdict !== "retry") throw new McpError("MCP_AUTH_REQUIRED", "Nobody heard of it.");
        return { content: [] };
      };
      attempt.open(createFakeSession({ tools: [tool("echo")], answer }));
    },
  });
  const cache = createFakeToolCache();
  const lazy = stdioDefinition("lazy", { lazy: true });
  cache.seed(await passThroughResolver(lazy, { signal: new AbortController().signal }), {
    tools: [tool("echo")],
  });
  const manager = createMcpManager({
    servers: [stdioDefinition("early"), lazy],
    connect: connector.connect,
    resolve: passThroughResolver,
    cache,
    auth,
  });
  await manager.start();
  return { manager, challenged };
}

describe("the auth port", () => {
  it("[C11] gets the challenges of live, cached, re-listed and reconnected servers", async () => {
    const { manager, challenged } = await startChallengingServers();
    await manager.callTool("mcp__early__echo");
    expect(challenged).toEqual(["early"]);
    const cached = manager.tools().find(({ server }) => server === "lazy");
    expect(cached?.origin).toBe("cache");
    await manager.callTool("mcp__lazy__echo");
    expect(challenged).toEqual(["early", "lazy"]);
    await manager.refreshTools("early");
    await manager.callTool("mcp__early__echo");
    await manager.reconnect("early");
    await manager.callTool("mcp__early__echo");
    expect(challenged).toEqual(["early", "lazy", "early", "early"]);
    await manager.close();
  });
});
