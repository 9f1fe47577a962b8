import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Mcp, type McpForPrincipal, type OpenMcpOptions, openMcp } from "../src/index.ts";
import { createProjectFixture, type ProjectFixture } from "./project-fixture.ts";

useLeakCheck();

let clone: ProjectFixture;
beforeEach(() => {
  clone = createProjectFixture();
  clone.write({ waits: { command: "server-of-the-project" } });
});
afterEach(() => clone[Symbol.dispose]());

const WRONG = { good: { command: "good" }, wrong: { args: [] } } as unknown as OpenMcpOptions["servers"];
const open = () => openMcp({ ...clone.options, servers: WRONG });

const CODES = { wrong: "MCP_CONFIG_INVALID", waits: "MCP_APPROVAL_REQUIRED" } as const;
type Name = keyof typeof CODES;
const NAMES = Object.keys(CODES) as Name[];

type Source = Pick<Mcp, "callTool" | "complete" | "getPrompt" | "readResource" | "resources" | "subscribe">;

/** Every request about one server that both a runtime and a view offer. */
function questions(source: Source, server: string): readonly Promise<unknown>[] {
  const ref = { type: "ref/prompt", name: "p" } as const;
  return [
    source.callTool({ server, tool: "echo" }, {}),
    source.resources(server),
    source.readResource(server, "file:///a"),
    source.subscribe(server, "file:///a", () => {}),
    source.getPrompt(server, "p", {}),
    source.complete(server, { ref, argument: { name: "a", value: "" } }),
  ];
}

const codesOf = async (asked: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(asked)).map((settled) =>
    settled.status === "rejected" ? settled.reason.code : "answered",
  );
const codesAt = async (source: Source, server: string) => [
  ...new Set(await codesOf(questions(source, server))),
];
const namesOf = (source: Pick<Mcp, "servers">) =>
  source.servers().map(({ name, status }) => `${name} ${status}`);

describe("an unusable entry", () => {
  it.each(NAMES)("answers every request with its own error: %s", async (name) => {
    await using mcp = await open();
    const expected = CODES[name];
    expect(await codesAt(mcp, name)).toEqual([expected]);
    const managing = [mcp.reconnect(name), mcp.disconnect(name), mcp.refreshTools(name)];
    expect(await codesOf(managing)).toEqual([expected, expected, expected]);
    const user: McpForPrincipal = await mcp.forPrincipal("ann");
    for (const source of [mcp.view({}), await mcp.viewFor({}), mcp.view({}).view({}), user, user.view({})])
      expect(await codesAt(source, name)).toEqual([expected]);
  });

  it("does not change the error of an unknown server", async () => {
    await using mcp = await open();
    expect(await codesAt(mcp, "nobody")).toEqual(["MCP_SERVER_UNKNOWN"]);
  });

  it("is listed only by views whose filter accepts its name", async () => {
    await using mcp = await open();
    const all = ["good ready", "wrong failed", "waits failed"];
    const one = ["wrong failed"];
    expect(namesOf(mcp)).toEqual(all);
    expect(namesOf(mcp.view({}))).toEqual(all);
    expect(namesOf(await mcp.viewFor({ servers: async () => true }))).toEqual(all);
    for (const view of [
      mcp.view({ servers: ["wrong"] }),
      mcp.view({ servers: (name) => name === "wrong" }),
      mcp.view({ servers: ["good", "wrong"] }).view({ servers: ["wrong", "waits"] }),
      await mcp.viewFor({ servers: ["wrong"] }),
      await mcp.viewFor({ servers: async (name) => name === "wrong" }),
    ]) {
      expect(namesOf(view)).toEqual(one);
      expect(await codesAt(view, "waits")).toEqual(["MCP_TOOL_UNKNOWN", "MCP_SERVER_UNKNOWN"]);
      await view.close();
      expect(namesOf(view)).toEqual([]);
      expect(await codesAt(view, "wrong")).toEqual(["MCP_CLOSED"]);
    }
  });

  it("is hidden by a filter that throws, and the error is logged", async () => {
    const log = vi.fn();
    await using mcp = await openMcp({ ...clone.options, servers: WRONG, log });
    const fail = (): never => {
      throw new Error("no idea");
    };
    expect(namesOf(mcp.view({ servers: fail }))).toEqual([]);
    expect(namesOf(await mcp.viewFor({ servers: async () => fail() }))).toEqual([]);
    for (const verb of ["threw", "failed"])
      for (const server of NAMES)
        expect(log).toHaveBeenCalledWith("warn", `The filter of a view ${verb} and hides a server.`, {
          server,
          error: "Error: no idea",
        });
  });

  it("is hidden by an async filter in view(), which is logged", async () => {
    const log = vi.fn();
    await using mcp = await openMcp({ ...clone.options, servers: WRONG, log });
    const servers = async (): Promise<never> => {
      throw new Error("no idea");
    };
    expect(namesOf(mcp.view({ servers } as never))).toEqual([]);
    const error = "TypeError: It returned a promise; only viewFor waits for one.";
    for (const server of NAMES)
      expect(log).toHaveBeenCalledWith("warn", "The filter of a view threw and hides a server.", {
        server,
        error,
      });
  });
});

it("an invalid view filter is refused, and close() ends a pending viewFor()", async () => {
  const mcp = await open();
  const invalid = { code: "MCP_CONFIG_INVALID" };
  expect(() => mcp.view(null as never)).toThrow(expect.objectContaining(invalid));
  await expect(mcp.viewFor(null as never)).rejects.toMatchObject(invalid);
  const view = mcp.viewFor({ servers: () => new Promise<boolean>(() => {}) });
  const refused = expect(view).rejects.toMatchObject({ code: "MCP_CLOSED" });
  await mcp.close();
  await refused;
});

it.each([null, undefined, 5, {}, ["a"]])("callTool rejects %j as a tool name", async (tool) => {
  await using mcp = await open();
  for (const source of [mcp, mcp.view({})])
    await expect(source.callTool(tool as never, {})).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
});
