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

/** A manager all of whose sessions are known, those that were replaced included. */
function recorded(servers: readonly ServerDefinition[]) {
  const opened: { readonly server: string; readonly session: ReturnType<typeof createFakeSession> }[] = [];
  const connector = createFakeConnector({
    onAttempt: (attempt) => {
      const session = attempt.open(createFakeSession({ tools: [tool("echo")] }));
      opened.push({ server: attempt.server.name, session });
    },
  });
  const manager = createMcpManager({ servers, connect: connector.connect, resolve: passThroughResolver });
  const left = () => opened.filter(({ session }) => !session.closed).map(({ server }) => server);
  return { manager, opened, left };
}

describe("a configuration that comes while the runtime begins anew", () => {
  it("waits for the end before, opens each server once, and a close leaves none of them behind", async () => {
    const { manager, opened, left } = recorded([a]);
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
    expect(left()).toEqual([]);
  });

  it("holds if it is the last of several", async () => {
    const { manager, left } = recorded([a]);
    await manager.start();
    await Promise.all([manager.close(), manager.start(), manager.reload([a, b]), manager.reload([c])]);
    expect(manager.servers()).toMatchObject([{ name: "c", status: "ready" }]);
    expect(left()).toEqual(["c"]);
    await manager.close();
  });

  it("is refused if the runtime is closed again meanwhile", async () => {
    const { manager, left } = recorded([a]);
    await manager.start();
    const closing = manager.close();
    const starting = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const reloading = expect(manager.reload([b])).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await Promise.all([closing, manager.close(), starting, reloading]);
    expect(left()).toEqual([]);
  });
});

describe("a configuration that a listener brings while another takes its place", () => {
  it("is the one that holds, and no server of either is left behind", async () => {
    const { manager, opened, left } = recorded([a]);
    await manager.start();
    let nested: Promise<unknown> | undefined;
    manager.on("statusChanged", () => {
      nested ??= manager.reload([c]);
    });
    await manager.reload([b]);
    await nested;
    expect(manager.servers().map(({ name, status }) => `${name} ${status}`)).toEqual(["c ready"]);
    expect(left()).toEqual(["c"]);
    await manager.close();
    expect(opened.every(({ session }) => session.closed)).toBe(true);
  });

  it("is what other users get as well, and what happened is told in its order", async () => {
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
