import { type Diagnostic, McpError, type ServerDefinition } from "@jackfield/mcp-core";
import {
  createFakeToolCache,
  httpDefinition,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { UnusableServer } from "../src/index.ts";
import { createFixture } from "./manager-fixture.ts";

const definedIn = { scope: "project", file: "/p/.mcp.json" } as const;
const BROKEN: UnusableServer = {
  name: "broken",
  definedIn,
  error: new McpError("MCP_CONFIG_INVALID", "It has no command.", { server: "broken" }),
};
const WAITING: UnusableServer = {
  name: "waiting",
  transport: "stdio",
  definedIn,
  error: new McpError("MCP_APPROVAL_REQUIRED", "Approve it.", { server: "waiting" }),
};

describe("an entry that cannot be used", () => {
  it("is a failed server, and whoever uses it is told why", async () => {
    const { manager, connector } = createFixture([stdioDefinition("a"), BROKEN, WAITING]);
    await using _ = manager;
    const { failed, blocked, ready } = await manager.start();
    expect(failed).toEqual([{ name: "broken", error: BROKEN.error }]);
    expect(blocked).toEqual([{ name: "waiting", reason: "Approve it." }]);
    expect(ready.map(({ name }) => name)).toEqual(["a"]);
    expect(manager.servers()).toMatchObject([
      { name: "a", status: "ready" },
      { name: "broken", status: "failed", tools: 0, error: { code: "MCP_CONFIG_INVALID" }, definedIn },
      { name: "waiting", status: "failed", transport: "stdio", error: { code: "MCP_APPROVAL_REQUIRED" } },
    ]);
    const view = manager.view({});
    for (const used of [
      manager.callTool({ server: "broken", tool: "x" }),
      view.callTool({ server: "broken", tool: "x" }),
      manager.reconnect("broken"),
      manager.ready(["broken"]),
      view.resources("broken"),
    ])
      await expect(used).rejects.toBe(BROKEN.error);
    await manager.reconnect();
    expect(connector.attempts.map(({ server }) => server.name)).toEqual(["a", "a"]);
  });

  it("is seen by other users and by the views that show its name, and goes with its configuration", async () => {
    const { manager } = createFixture([stdioDefinition("a"), BROKEN]);
    await using _ = manager;
    await manager.start();
    const user = manager.forPrincipal("ann");
    const asked = await manager.viewFor({ servers: async (name) => name !== "a" });
    const hidden = manager.view({ servers: ["a"] });
    const namesOf = (source: Pick<typeof manager, "servers">) => source.servers().map(({ name }) => name);
    expect([manager, user, asked, hidden].map(namesOf)).toEqual([
      ["a", "broken"],
      ["a", "broken"],
      ["broken"],
      ["a"],
    ]);
    await manager.reload([stdioDefinition("a"), WAITING]);
    expect([manager, user].map(namesOf)).toEqual([
      ["a", "waiting"],
      ["a", "waiting"],
    ]);
    namesOf(asked); // A server that is new is hidden until the filter has answered.
    await new Promise((resolve) => setImmediate(resolve));
    expect(namesOf(asked)).toEqual(["waiting"]);
  });
});

it("a remark on the configuration reaches the listeners of every user and of the views that show its server", async () => {
  const { manager } = createFixture(["a", "b"]);
  await using _ = manager;
  const heard: string[] = [];
  const sources = { manager, user: manager.forPrincipal("ann"), a: manager.view({ servers: ["a"] }) };
  for (const [name, source] of Object.entries(sources))
    source.on("diagnostic", ({ code }) => heard.push(`${name} ${code}`));
  const remark = (code: string, server?: string): Diagnostic =>
    ({ code, severity: "warning", message: code, server }) as Diagnostic;
  manager.announce(remark("of-b", "b"));
  manager.announce(remark("of-file"));
  expect(heard).toEqual(["manager of-b", "user of-b", "manager of-file", "a of-file", "user of-file"]);
});

it("a start fills in the values of each server once, for its lookup and its attempt, and each retry anew", async () => {
  const resolved: string[] = [];
  const servers: ServerDefinition[] = [httpDefinition("a"), { ...httpDefinition("late"), lazy: true }];
  const { manager } = createFixture(servers, {
    cache: createFakeToolCache(),
    resolve: async (definition, options) => {
      resolved.push(definition.name);
      return passThroughResolver(definition, options);
    },
  });
  await using _ = manager;
  await manager.start();
  expect(resolved).toEqual(["a", "late"]);
  await manager.reconnect("late");
  await manager.reconnect("a");
  expect(resolved).toEqual(["a", "late", "late", "a"]);
});
