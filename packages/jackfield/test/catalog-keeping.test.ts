import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { createFakeConnector, createFakeSession, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Opens a runtime with eight servers, each with about 20,000 bytes of tools, and returns how many the catalog keeps of them. */
async function keptOf(maxBytes: number | undefined): Promise<number> {
  const description = "x".repeat(20_000);
  const tools = [{ name: "tool", description, inputSchema: { type: "object" as const } }];
  const { connect } = createFakeConnector({
    onAttempt: (attempt) => attempt.open(createFakeSession({ tools })),
  });
  const servers = Object.fromEntries(NAMES.map((name) => [name, { command: "server", args: [name] }]));
  const path = folder.file(`cache-${maxBytes}`);
  const mcp = await openMcp({ servers, connect, cache: { path, maxBytes } });
  await mcp.close();
  await using catalog = sqliteToolCache({ path });
  return (await catalog.list()).length;
}

it("the catalog drops entries beyond `cache.maxBytes`", async () => {
  expect(await keptOf(undefined)).toBe(NAMES.length);
  const kept = await keptOf(100_000);
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(NAMES.length);
});

it("an endless tool list is not stored; the catalog keeps the previous list", async () => {
  const server = scriptedServer(folder, "one");
  const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });
  const path = folder.file("cache");
  const storedTools = async () => {
    await using catalog = sqliteToolCache({ path });
    const ids = (await catalog.list()).map(({ id }) => id);
    return [...(await catalog.getMany(ids)).values()].map(({ tools }) => tools?.map(({ name }) => name));
  };
  const options = { servers: { one: server.definition }, cache: { path }, startup: { staleAfterMs: 0 } };
  server.behave({ tools: [tool("first"), tool("second")], pageSize: 1 });
  await (await openMcp(options)).close();
  expect(await storedTools()).toEqual([["first", "second"]]);

  server.behave({ tools: [tool("third")], pageSize: 1, endlessPages: true });
  const mcp = await openMcp({ ...options, retry: { maxRetries: 0 } });
  await expect(mcp.refreshTools("one")).rejects.toMatchObject({ server: "one" });
  expect(mcp.tools().map(({ originalName }) => originalName)).toEqual(["first", "second"]);
  await mcp.close();
  expect(await storedTools()).toEqual([["first", "second"]]);
});
