import { describe, expect, test } from "vitest";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();
const servers = (command: string) => ({ mcpServers: { s: { command } } });
const FILES = {
  "work/.mcp.json": servers("project"),
  ".config/jackfield/mcp.json": servers("user"),
  "work/.omp/mcp.json": servers("native"),
  ".omp/agent/mcp.json": servers("own"),
  "work/mcp.json": { mcpServers: { t: { command: "root" } } },
};
const commandOf = (found: Awaited<ReturnType<Awaited<ReturnType<typeof homeWith>>["discover"]>>) =>
  found.servers.map((server) => ("command" in server ? server.command : undefined));

describe("the order option", () => {
  test("decides between the files of one host", async () => {
    const { discover } = await homeWith(FILES);
    expect(commandOf(await discover())).toEqual(["project"]);
    const found = await discover({ order: ["user", "project"] });
    expect(commandOf(found)).toEqual(["user"]);
    expect(found.shadowed).toMatchObject([{ by: { scope: "user" }, definition: { command: "project" } }]);
    expect(commandOf(await discover({ order: ["user"] }))).toEqual(["user"]);
  });

  test("decides between hosts with entries in several scopes", async () => {
    const { discover } = await homeWith(FILES);
    const hosts = ["omp", "jackfield"];
    expect(commandOf(await discover({ hosts, order: ["user", "project"] }))).toEqual(["own", "root"]);
  });

  test.each<[string, unknown, string, string]>([
    ["not a list", "user", "a list of scopes, not a string", "project"],
    ["a list with an unknown scope", ["user", "nonsense"], '"nonsense" is not a scope', "user"],
    ["a list with a number", [7, "user"], "a number is not a scope", "user"],
    ["a list with undefined", [undefined, "user"], ": undefined is not a scope", "user"],
  ])("is reported if it is %s", async (_what, order, told, command) => {
    const { discover } = await homeWith(FILES);
    const found = await discover({ order: order as never });
    expect(found.problems).toMatchObject([
      { definedIn: { pointer: "/order" }, error: { code: "MCP_CONFIG_INVALID" }, kind: "ConfigShapeError" },
    ]);
    expect(found.problems[0]?.error.message).toContain(told);
    expect(commandOf(found)).toEqual([command]);
  });
});
