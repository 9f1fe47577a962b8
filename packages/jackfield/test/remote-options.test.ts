import { startHttpFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";

useLeakCheck();

it("the `http` function chooses the fetch of each remote server", async () => {
  await using remote = await startHttpFaultServer();
  const fetch = vi.fn(globalThis.fetch);
  const chosenFor: string[] = [];
  const mcp = await openMcp({
    cache: false,
    servers: { own: { url: remote.url }, usual: { url: remote.url } },
    http: ({ name }) => {
      chosenFor.push(name);
      return name === "own" ? { fetch } : {};
    },
  });
  try {
    expect(chosenFor.sort()).toEqual(["own", "usual"]);
    await vi.waitUntil(() => remote.streams.length === 2);
    const before = fetch.mock.calls.length;
    expect(before).toBeGreaterThan(0);
    await mcp.callTool({ server: "usual", tool: "echo" }, {});
    expect(fetch.mock.calls.length).toBe(before);
    await mcp.callTool({ server: "own", tool: "echo" }, {});
    expect(fetch.mock.calls.length).toBe(before + 1);
  } finally {
    await mcp.close();
  }
});

it("an `http` object applies to all remote servers", async () => {
  await using remote = await startHttpFaultServer();
  const fetch = vi.fn(globalThis.fetch);
  const mcp = await openMcp({ cache: false, servers: { remote: { url: remote.url } }, http: { fetch } });
  try {
    await mcp.callTool({ server: "remote", tool: "echo" }, {});
  } finally {
    await mcp.close();
  }
  expect(fetch.mock.calls.length).toBe(remote.requests.length);
});
