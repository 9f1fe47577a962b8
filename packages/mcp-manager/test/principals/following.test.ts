import {
  createFakeConnector,
  createFakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMcpManager } from "../../src/index.ts";
import { createFixture, tool } from "../manager-fixture.ts";

const [a, b, slow] = ["a", "b", "slow"].map((name) => stdioDefinition(name));
if (a === undefined || b === undefined || slow === undefined) throw new Error("three definitions");

describe("a user, when the runtime is reloaded", () => {
  it("gets the configuration of the later reload, even if the earlier one takes longer", async () => {
    const held: (() => void)[] = [];
    const connector = createFakeConnector({
      onAttempt: (attempt) => {
        const open = () => void attempt.open(createFakeSession({ tools: [tool("echo")] }));
        if (attempt.server.name === "slow") held.push(open);
        else open();
      },
    });
    const resolve = passThroughResolver;
    await using manager = createMcpManager({ servers: [a], connect: connector.connect, resolve });
    await manager.start();
    const user = manager.forPrincipal("ann");
    const earlier = manager.reload([slow, b]);
    await expect.poll(() => held.length).toBe(1);
    const later = manager.reload([slow]);
    for (const open of held) open();
    await Promise.all([earlier, later]);
    expect(manager.servers().map(({ name }) => name)).toEqual(["slow"]);
    expect(user.servers().map(({ name }) => name)).toEqual(["slow"]);
  });

  it("restarts with the configuration that was loaded while it was closed", async () => {
    const { manager } = createFixture([a]);
    await using _ = manager;
    await manager.start();
    const user = manager.forPrincipal("ann");
    await user.start();
    await user.close();
    await manager.reload([b]);
    await user.start();
    expect(user.servers()).toMatchObject([{ name: "b", status: "ready" }]);
  });

  it("restarts with its own reloaded configuration if the runtime was not reloaded", async () => {
    const { manager } = createFixture([a, b]);
    await using _ = manager;
    await manager.start();
    const user = manager.forPrincipal("ann");
    await user.start();
    await user.reload([b]);
    await user.close();
    await user.start();
    expect(user.servers()).toMatchObject([{ name: "b", status: "ready" }]);
  });
});

describe("a user, when the runtime is closed", () => {
  it("cannot start until the runtime is started again", async () => {
    const { manager } = createFixture([a]);
    await using _ = manager;
    await manager.start();
    const user = manager.forPrincipal("ann");
    await user.start();
    await manager.close();
    await expect(user.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await manager.start();
    await user.start();
    await user.callTool("mcp__a__echo");
  });
});
