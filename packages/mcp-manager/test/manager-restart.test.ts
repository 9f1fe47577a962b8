import type { ServerDefinition } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMcpManager } from "../src/index.ts";
import { createFixture, tool } from "./manager-fixture.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => stdioDefinition(name)) as [
  ServerDefinition,
  ServerDefinition,
  ServerDefinition,
];

/** A manager and all sessions it opened, replaced ones included. */
function createRecordedManager(servers: readonly ServerDefinition[]) {
  const opened: { readonly server: string; readonly session: ReturnType<typeof createFakeSession> }[] = [];
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      const session = attempt.open(createFakeSession({ tools: [tool("echo")] }));
      opened.push({ server: attempt.server.name, session });
    },
  });
  const manager = createMcpManager({ servers, connect: connector.connect, resolve: passThroughResolver });
  const stillOpen = () => opened.filter(({ session }) => !session.closed).map(({ server }) => server);
  return { manager, opened, stillOpen };
}

describe("reload() during close() and start()", () => {
  it("waits for the close, opens each server once and leaves no session open", async () => {
    const { manager, opened, stillOpen } = createRecordedManager([a]);
    await manager.start();
    const release = opened[0]?.session.holdClose();
    const closing = manager.close();
    const starting = manager.start();
    const reloading = manager.reload([a, b]);
    release?.();
    expect(await reloading).toEqual({ added: ["b"], removed: [], changed: [], kept: ["a"] });
    await Promise.all([closing, starting]);
    expect(opened.map(({ server }) => server)).toEqual(["a", "a", "b"]);
    await manager.close();
    expect(stillOpen()).toEqual([]);
  });

  it("applies the last of several configurations", async () => {
    const { manager, stillOpen } = createRecordedManager([a]);
    await manager.start();
    await Promise.all([manager.close(), manager.start(), manager.reload([a, b]), manager.reload([c])]);
    expect(manager.servers()).toMatchObject([{ name: "c", status: "ready" }]);
    expect(stillOpen()).toEqual(["c"]);
    await manager.close();
  });

  it("rejects if the manager is closed again meanwhile", async () => {
    const { manager, stillOpen } = createRecordedManager([a]);
    await manager.start();
    const closing = manager.close();
    const starting = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const reloading = expect(manager.reload([b])).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await Promise.all([closing, manager.close(), starting, reloading]);
    expect(stillOpen()).toEqual([]);
  });
});

describe("reload() by a listener during another reload()", () => {
  it("applies its configuration and leaves no session open", async () => {
    const { manager, opened, stillOpen } = createRecordedManager([a]);
    await manager.start();
    let nested: Promise<unknown> | undefined;
    manager.on("statusChanged", () => {
      nested ??= manager.reload([c]);
    });
    await manager.reload([b]);
    await nested;
    expect(manager.servers().map(({ name, status }) => `${name} ${status}`)).toEqual(["c ready"]);
    expect(stillOpen()).toEqual(["c"]);
    await manager.close();
    expect(opened.every(({ session }) => session.closed)).toBe(true);
  });

  it("also applies to other principals, and events stay in order", async () => {
    const { manager } = createFixture([a, b]);
    await manager.start();
    const user = manager.forPrincipal("ann");
    const told: string[] = [];
    let nested: Promise<unknown> | undefined;
    manager.on("statusChanged", ({ snapshot }) => {
      told.push(`${snapshot.name} ${snapshot.status}`);
      nested ??= manager.reload([]);
    });
    await manager.reload([b]);
    await nested;
    expect(told).toEqual(["a closing", "b closing", "a closed", "b closed"]);
    expect(user.servers()).toEqual([]);
    await manager.close();
  });
});
