import { startHttpFaultServer, startTcpFaultProxy, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { type Mcp, openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

const HEARTBEAT = { intervalMs: 50, timeoutMs: 100, threshold: 2 };
const RETRY = { initialDelayMs: 0, jitter: "none" } as const;

/** Records the events about the health of a runtime's servers. */
function watched(mcp: Mcp) {
  const unhealthy: string[] = [];
  let ups = 0;
  mcp.on("unhealthy", ({ server, error }) => unhealthy.push(`${server}: ${error.message}`));
  mcp.on("statusChanged", ({ snapshot }) => {
    if (snapshot.status === "ready") ups += 1;
  });
  return { unhealthy, ups: () => ups };
}

describe("a server that stops answering", () => {
  it("[S5] because its process is stopped is detected without a call and restarted", async () => {
    using folder = temporaryFolder();
    const server = scriptedServer(folder, "s");
    const mcp = await openMcp({
      servers: { s: server.definition },
      discover: false,
      cache: false,
      retry: { ...RETRY, heartbeat: HEARTBEAT },
      limits: { closeTimeoutMs: 2_000 },
    });
    try {
      const { unhealthy, ups } = watched(mcp);
      const started = () => server.record().filter(({ event }) => event === "started");
      process.kill(started()[0]?.pid ?? 0, "SIGSTOP");
      await vi.waitFor(() => expect(ups()).toBe(1));
      expect(unhealthy).toEqual([expect.stringMatching(/^s: Server "s" did not answer/)]);
      await mcp.callTool({ server: "s", tool: "echo" }, { message: "back" });
      expect(started()).toHaveLength(2);
    } finally {
      await mcp.close();
    }
  });

  it("[S5] because the network drops everything is detected without a call and reconnected", async () => {
    await using remote = await startHttpFaultServer();
    await using proxy = await startTcpFaultProxy(remote.url);
    const mcp = await openMcp({
      servers: { s: { url: proxy.url, connectTimeoutMs: 2_000 } },
      discover: false,
      cache: false,
      retry: { ...RETRY, initialDelayMs: 50, heartbeat: HEARTBEAT },
      limits: { closeTimeoutMs: 500 },
    });
    try {
      const { unhealthy, ups } = watched(mcp);
      proxy.blackHole();
      await vi.waitFor(() => expect(unhealthy).toHaveLength(1));
      await proxy.resume();
      await vi.waitFor(() => expect(ups()).toBe(1));
      await mcp.callTool({ server: "s", tool: "echo" }, {});
      expect(unhealthy).toHaveLength(1);
    } finally {
      await mcp.close();
    }
  });
});
