import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { HOST_IDS } from "../../src/index.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();

const servers = (entries: object) => ({ mcpServers: entries });
const facts = (found: readonly ServerDefinition[]) =>
  found.map((server) => [server.name, "command" in server ? server.command : "", server.definedIn.scope]);

describe("search locations", () => {
  test("by default are the folders up to the repository root and the user's own file", async () => {
    const { discover, project, home } = await homeWith({
      ".mcp.json": servers({ above: { command: "x" } }),
      "work/.mcp.json": servers({ top: { command: "top" }, both: { command: "top" } }),
      "work/deep/.mcp.json": servers({ both: { command: "deep" } }),
      ".config/jackfield/mcp.json": servers({ own: { command: "own" }, both: { command: "own" } }),
      ".cursor/mcp.json": servers({ unasked: { command: "x" } }),
    });
    const { servers: found, shadowed, problems } = await discover({ cwd: join(project, "deep") });
    expect(facts(found)).toEqual([
      ["both", "deep", "project"],
      ["top", "top", "project"],
      ["own", "own", "user"],
    ]);
    expect(facts(shadowed.map(({ definition }) => definition))).toEqual([
      ["both", "top", "project"],
      ["both", "own", "user"],
    ]);
    expect(found[0]).toMatchObject({
      definedIn: { host: "jackfield", file: join(project, "deep", ".mcp.json"), root: join(project, "deep") },
      shadows: [
        { definedIn: { file: join(project, ".mcp.json") } },
        { definedIn: { file: join(home, ".config/jackfield/mcp.json") } },
      ],
    });
    expect(problems).toEqual([]);
  });

  test("outside a repository include no parent folder", async () => {
    const { discover, home } = await homeWith({
      "a/.mcp.json": servers({ above: { command: "x" } }),
      "a/b/.mcp.json": servers({ here: { command: "x" } }),
    });
    expect(facts((await discover({ cwd: join(home, "a", "b") })).servers)).toEqual([
      ["here", "x", "project"],
    ]);
  });

  test("include an absolute JACKFIELD_HOME, but not a relative one", async () => {
    const { discover, home } = await homeWith({ "moved/mcp.json": servers({ own: { command: "x" } }) });
    const named = await discover({ env: { JACKFIELD_HOME: join(home, "moved") } });
    expect(facts(named.servers)).toEqual([["own", "x", "user"]]);
    const relative = await discover({ cwd: home, env: { JACKFIELD_HOME: "moved" } });
    expect(relative.servers).toEqual([]);
  });

  test("in the home folder itself include the user's file as the user's, not as a project's", async () => {
    const { discover, home } = await homeWith({ ".cursor/mcp.json": servers({ own: { command: "x" } }) });
    expect(facts((await discover({ cwd: home, hosts: ["cursor"] })).servers)).toEqual([["own", "x", "user"]]);
  });

  test("an unknown host is reported with the names of the known ones", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": servers({ s: { command: "x" } }) });
    const { servers: found, problems } = await discover({ hosts: ["emacs", "jackfield"] });
    expect(facts(found)).toEqual([["s", "x", "project"]]);
    expect(problems).toMatchObject([
      { definedIn: { pointer: "/hosts" }, error: { code: "MCP_CONFIG_INVALID" } },
    ]);
    expect(problems[0]?.error.message).toContain('"claude-code"');
    expect((await discover({ hosts: 1 as never })).problems).toHaveLength(1);
  });

  test("include the files of every host with hosts set to all", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ c: { command: "c" } }),
      ".codex/config.toml": '[mcp_servers.d]\ncommand = "d"\n',
    });
    const { servers: found } = await discover({ hosts: "all" });
    expect(facts(found)).toEqual([
      ["c", "c", "user"],
      ["d", "d", "user"],
    ]);
    expect(HOST_IDS).toContain("codex");
  });
});

describe("precedence", () => {
  test("explicit beats project, project beats user and user beats extension, unless order says otherwise", async () => {
    const entry = (command: string) => servers({ s: { command }, [command]: { command } });
    const { discover, project, home } = await homeWith({
      "explicit.json": entry("file"),
      "work/.cursor/mcp.json": entry("project"),
      ".cursor/mcp.json": entry("user"),
      ".gemini/extensions/e/gemini-extension.json": entry("extension"),
    });
    const options = { hosts: ["gemini", "cursor"], files: [join(home, "explicit.json")] };
    const inCode = { s: { command: "code", args: ["a"] }, code: { command: "code", args: ["b"] } };
    const winner = async (more: object) => {
      const { servers: found } = await discover({ ...options, ...more });
      return facts(found).find(([name]) => name === "s");
    };
    expect(await winner({ servers: inCode })).toEqual(["s", "code", "explicit"]);
    expect(await winner({})).toEqual(["s", "file", "explicit"]);
    expect(await winner({ files: [] })).toEqual(["s", "project", "project"]);
    expect(await winner({ files: [], cwd: join(project, "..", "elsewhere") })).toEqual(["s", "user", "user"]);
    expect(await winner({ files: [], order: ["extension", "user"] })).toEqual([
      "s",
      "extension",
      "extension",
    ]);
  });

  test("[A10] a disabled project entry still replaces the user's entry of the same name", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": servers({ s: { command: "project", enabled: false } }),
      ".config/jackfield/mcp.json": servers({ s: { command: "user" } }),
    });
    const { servers: found } = await discover();
    expect(found).toMatchObject([{ name: "s", command: "project", enabled: false }]);
  });

  test("[A11] the user's entry is used with project: false", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": servers({ s: { command: "project" } }),
      ".config/jackfield/mcp.json": servers({ s: { command: "user" } }),
    });
    expect(facts((await discover({ project: false })).servers)).toEqual([["s", "user", "user"]]);
  });

  test("[A12] a disabled entry does not shadow a differently named one with the same endpoint", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ off: { command: "x", disabled: true } }),
      ".claude.json": servers({ on: { command: "x" } }),
    });
    const { servers: found } = await discover({ hosts: ["cursor", "claude-code"] });
    expect(found.map(({ name, enabled }) => [name, enabled])).toEqual([
      ["off", false],
      ["on", undefined],
    ]);
  });

  test("two entries of one host with the same endpoint are both used", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ a: { command: "x" }, b: { command: "x" } }),
    });
    expect((await discover({ hosts: ["cursor"] })).servers).toHaveLength(2);
  });

  test("a file read by two hosts yields each server once", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": servers({ s: { command: "x" } }) });
    const { servers: found, shadowed, diagnostics } = await discover({ hosts: ["claude-code", "jackfield"] });
    expect(found).toMatchObject([{ name: "s", definedIn: { host: "claude-code" } }]);
    expect([shadowed, diagnostics]).toEqual([[], []]);
  });

  test("a file reached by two paths of one host yields its servers and diagnostics once", async () => {
    const content = servers({ s: { command: "x", cmd: "y" } });
    const { discover, home, project } = await homeWith({
      ".codeium/windsurf/mcp_config.json": content,
      "work/.cursor/mcp.json": content,
      ".config/Code/User/mcp.json": { servers: { s: { command: "x", cmd: "y" } } },
    });
    await symlink("windsurf/mcp_config.json", join(home, ".codeium", "mcp_config.json"));
    await mkdir(join(home, ".config", "Code", "User", "profiles", "p"), { recursive: true });
    await symlink("../../mcp.json", join(home, ".config", "Code", "User", "profiles", "p", "mcp.json"));
    await mkdir(join(project, "deep", ".cursor"), { recursive: true });
    await symlink("../../.cursor/mcp.json", join(project, "deep", ".cursor", "mcp.json"));
    for (const [host, file] of [
      ["windsurf", join(home, ".codeium", "windsurf", "mcp_config.json")],
      ["cursor", join(project, "deep", ".cursor", "mcp.json")],
      ["vscode", join(home, ".config", "Code", "User", "mcp.json")],
    ] as const) {
      const found = await discover({ remarks: true, hosts: [host], cwd: join(project, "deep") });
      expect(found.servers).toMatchObject([{ name: "s", definedIn: { file } }]);
      expect(found.shadowed).toEqual([]);
      expect(found.diagnostics.map(({ code }) => code)).toEqual(["near-miss-field"]);
    }
  });
});

describe("untrusted or broken input", () => {
  test("[threat T08] a project's file that is a link out of the project is refused", async () => {
    const { discover, home, project } = await homeWith({
      "secret/mcp.json": servers({ outside: { command: "x" } }),
      "work/real.json": servers({ inside: { command: "./x" } }),
    });
    await symlink(join(home, "secret", "mcp.json"), join(project, ".mcp.json"));
    const escaped = await discover();
    expect(escaped.servers).toEqual([]);
    expect(escaped.problems).toMatchObject([{ kind: "ConfigReadError" }]);
    expect(escaped.problems[0]?.error.message).toContain("a link to a file outside the project");
    await mkdir(join(project, "deep"));
    await symlink("../real.json", join(project, "deep", ".mcp.json"));
    const within = await discover({ cwd: join(project, "deep") });
    expect(within.servers).toMatchObject([{ name: "inside", command: join(project, "deep", "x") }]);
  });

  test("[threat T09] a user's file that everybody can write is refused", async () => {
    const { discover, home } = await homeWith({ ".cursor/mcp.json": servers({ s: { command: "x" } }) });
    const file = join(home, ".cursor", "mcp.json");
    await chmod(file, 0o666);
    const { servers: found, problems } = await discover({ hosts: ["cursor"] });
    expect(found).toEqual([]);
    expect(problems[0]?.error.message).toContain("chmod o-w");
    await chmod(file, 0o664);
    expect((await discover({ hosts: ["cursor"] })).servers).toHaveLength(1);
  });

  test("[threat T05] a project's .env does not change where the user's file is read", async () => {
    const { discover } = await homeWith({
      "work/.env": "JACKFIELD_HOME=/nowhere\nXDG_CONFIG_HOME=/nowhere\n",
      ".config/jackfield/mcp.json": servers({ own: { command: "x" } }),
    });
    expect((await discover()).servers).toHaveLength(1);
  });

  test("a broken file of one host does not hide servers of another", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": '{"mcpServers": {"a": {"command": "x"',
      ".claude.json": servers({ good: { command: "x" }, bad: { url: "https://h" } }),
    });
    const { servers: found, problems } = await discover({ hosts: ["cursor", "claude-code"] });
    expect(found.map(({ name }) => name)).toEqual(["good"]);
    expect(problems.map(({ kind, server }) => [kind, server])).toEqual([
      ["ConfigSyntaxError", undefined],
      ["ServerConfigError", "bad"],
    ]);
  });

  test("a syntax error in a file read for several scopes is reported once", async () => {
    const { discover, home } = await homeWith({ ".claude.json": '{"mcpServers": {' });
    const { problems } = await discover({ hosts: ["claude-code"] });
    expect(problems.map(({ error }) => error.location?.file)).toEqual([`${home}/.claude.json`]);
  });

  test("discovery that fails as a whole reports one error and keeps explicit servers", async () => {
    const env = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no environment");
        },
      },
    );
    const { discover } = await homeWith({ ".cursor/mcp.json": servers({ s: { command: "x" } }) });
    const found = await discover({ env, hosts: "all", servers: { given: { command: "x" } } });
    expect(found.servers.map(({ name }) => name)).toEqual(["given"]);
    expect(found.discoveryError).toMatchObject({ code: "MCP_INTERNAL", phase: "config" });
    expect((await discover()).discoveryError).toBeUndefined();
  });

  test("options of the wrong type are one error, and keep explicit servers", async () => {
    const { discover } = await homeWith({ ".cursor/mcp.json": servers({ s: { command: "x" } }) });
    const given = { given: { command: "x" } };
    for (const wrong of [{ cwd: 5 as never }, { base: 5 as never, files: ["own.json"] }]) {
      const found = await discover({ ...wrong, hosts: "all", servers: given });
      expect(found.servers.map(({ name }) => name)).toContain("given");
      expect(found.discoveryError).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "config" });
    }
  });

  test("a server in code that cannot be read is a problem of its own", async () => {
    const { discover } = await homeWith();
    const given = {
      good: { command: "x" },
      get bad(): never {
        throw new Error("no entry");
      },
    };
    const { servers: found, problems } = await discover({ servers: given });
    expect(found.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toMatchObject([{ server: "bad", error: { code: "MCP_CONFIG_INVALID" } }]);
    const closed = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("closed");
        },
      },
    );
    const none = await discover({ servers: closed });
    expect(none.problems).toMatchObject([{ definedIn: { pointer: "/servers" }, kind: "ConfigShapeError" }]);
  });
});
