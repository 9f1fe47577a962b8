import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { type LoadServersOptions, loadServers } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";

const folderWith = useTemporaryFolder();

const names = (servers: readonly ServerDefinition[]) => servers.map(({ name }) => name);

describe("precedence", () => {
  test("the strongest source wins a name with its whole entry and records what it shadows", async () => {
    const cwd = await folderWith({
      "a.json": {
        mcpServers: { s: { url: "https://a", headers: { "X-Secret": "of a" } }, a: { command: "x" } },
      },
      "b.json": { mcpServers: { s: { command: "b", lazy: true }, a: { command: "y" }, b: { command: "x" } } },
    });
    const inline = { s: { url: "https://inline" } };
    const { servers, diagnostics } = await loadServers({ files: ["a.json", "b.json"], servers: inline, cwd });
    expect(servers).toEqual([
      {
        name: "s",
        transport: "http",
        url: "https://inline",
        definedIn: { scope: "explicit", pointer: "/servers/s" },
        shadows: ["a.json", "b.json"].map((file) => ({
          name: "s",
          definedIn: expect.objectContaining({ file: join(cwd, file), pointer: "/mcpServers/s" }),
        })),
      },
      expect.objectContaining({
        name: "a",
        definedIn: expect.objectContaining({ file: join(cwd, "a.json") }),
      }),
      expect.objectContaining({
        name: "b",
        definedIn: expect.objectContaining({ file: join(cwd, "b.json") }),
      }),
    ]);
    const shadowed = diagnostics.filter(({ code }) => code === "shadowed");
    expect(shadowed.map(({ code, server, file, pointer }) => [code, server, file, pointer])).toEqual([
      ["shadowed", "s", join(cwd, "a.json"), "/mcpServers/s"],
      ["shadowed", "s", join(cwd, "b.json"), "/mcpServers/s"],
      ["shadowed", "a", join(cwd, "b.json"), "/mcpServers/a"],
    ]);
    expect(shadowed[0]?.message).toContain('shadowed by another server of that name in option "/servers/s"');
    expect(shadowed[2]?.message).toContain(join(cwd, "a.json"));
  });

  test("a disabled or invalid entry still shadows others of its name", async () => {
    const cwd = await folderWith({
      "a.json": { mcpServers: { off: { command: "x" }, bad: { command: "x" } } },
    });
    const inline = { off: { command: "y", enabled: false }, bad: { command: "" } };
    const { servers, problems } = await loadServers({ files: ["a.json"], servers: inline, cwd });
    expect(servers).toMatchObject([{ name: "off", command: "y", enabled: false }]);
    expect(problems).toMatchObject([{ server: "bad", definedIn: { pointer: "/servers/bad" } }]);
  });
});

describe("servers in code", () => {
  test("relative paths are relative to cwd", async () => {
    const { servers } = await loadServers({ servers: { s: { command: "./x", cwd: "y" } }, cwd: "/base" });
    expect(servers).toMatchObject([{ command: "/base/x", cwd: "/base/y" }]);
  });

  test("untyped entries are validated like a file's, with pointers into the option", async () => {
    const servers = { bad: { command: 1 }, worse: null, good: { command: "x" } } as never;
    const { servers: found, problems } = await loadServers({ servers });
    expect(names(found)).toEqual(["good"]);
    expect(problems.map(({ server, error }) => [server, error.location])).toEqual([
      ["bad", { pointer: "/servers/bad/command" }],
      ["worse", { pointer: "/servers/worse" }],
    ]);
    expect(problems[0]?.error.message).toBe(
      'Server "bad" (option "/servers/bad/command"): "command" must be a string, not a number; put it in quotes.',
    );
  });

  test("an entry whose getter throws is a problem of that entry alone", async () => {
    const hostile = {
      get command(): string {
        throw new Error("gotcha");
      },
    };
    const { servers, problems } = await loadServers({ servers: { hostile, good: { command: "x" } } });
    expect(names(servers)).toEqual(["good"]);
    expect(problems).toMatchObject([{ server: "hostile", error: { code: "MCP_CONFIG_INVALID" } }]);
    expect(problems[0]?.error.message).not.toContain("gotcha");
  });

  test.each([
    [{ servers: [] }, "/servers"],
    [{ servers: "x" }, "/servers"],
    [{ servers: null }, "/servers"],
    [{ files: "mcp.json" }, "/files"],
    [{ files: [1] }, "/files"],
    [{ files: [""] }, "/files"],
  ])("the options %j are reported as a problem of the invalid option", async (options, pointer) => {
    const { problems } = await loadServers(options as never);
    expect(problems).toMatchObject([{ definedIn: { pointer }, error: { code: "MCP_CONFIG_INVALID" } }]);
  });
});

test("each invalid path in files is reported, and the other files are read", async () => {
  const cwd = await folderWith({
    "a.json": { mcpServers: { a: { command: "a" } } },
    "b.json": { mcpServers: { b: { command: "b" } } },
  });
  const files = ["", "a.json", 5, "b.json", "./a.json", null] as never;
  const { servers, problems } = await loadServers({ files, cwd });
  expect(names(servers)).toEqual(["a", "b"]);
  expect(problems.map(({ error }) => [error.location?.pointer, error.message])).toEqual([
    [
      "/files/0",
      'option "/files/0": it must be the path of a file, not an empty string; the other files are read.',
    ],
    ["/files/2", 'option "/files/2": it must be the path of a file, not a number; the other files are read.'],
    ["/files/5", 'option "/files/5": it must be the path of a file, not null; the other files are read.'],
  ]);
});

describe("names", () => {
  test("servers with any permitted name are loaded under exactly that name", async () => {
    const nasty = ["constructor", "toString", "hasOwnProperty", "prototype", "length", "a/b", "~0", "}"];
    nasty.push("日本語", "🧰", " ", "\u202e", "\ud800", "${A}", "1", "0", "x".repeat(512), "e\u0301", "é");
    const entries = nasty.map((name, index) => `${JSON.stringify(name)}: {"command": "c${index}"}`);
    const cwd = await folderWith({ "mcp.json": `{"mcpServers": {${entries.join(",")}}}` });
    const inCode = JSON.parse(`{${entries.join(",")}}`);
    for (const options of [
      { files: ["mcp.json"], cwd },
      { servers: inCode },
    ] satisfies LoadServersOptions[]) {
      const { servers, problems, diagnostics } = await loadServers(options);
      const found = new Map(
        servers.map((server) => [server.name, "command" in server ? server.command : ""]),
      );
      expect([problems, diagnostics]).toEqual([[], []]);
      expect(found).toEqual(new Map(nasty.map((name, index) => [name, `c${index}`])));
    }
    expect("command" in {}).toBe(false);
  });

  test.each(["\n", "a\u0007b", "\u009b", "x".repeat(513), ""])(
    "the server name %j is refused with a message free of control characters",
    async (name) => {
      const { servers, problems } = await loadServers({ servers: { [name]: { command: "x" } } });
      expect(servers).toEqual([]);
      expect(problems).toMatchObject([{ server: name, error: { code: "MCP_CONFIG_INVALID" } }]);
      expect(problems[0]?.error.message).not.toMatch(/\p{Cc}/u);
    },
  );
});
