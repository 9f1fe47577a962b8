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

describe("where servers are looked for", () => {
  test("by default in the project, from the folder up to the repository, and in the user's own file", async () => {
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
        { reason: "name", definedIn: { file: join(project, ".mcp.json") } },
        { reason: "name", definedIn: { file: join(home, ".config/jackfield/mcp.json") } },
      ],
    });
    expect(problems).toEqual([]);
  });

  test("outside of a repository, in the folder alone", async () => {
    const { discover, home } = await homeWith({
      "a/.mcp.json": servers({ above: { command: "x" } }),
      "a/b/.mcp.json": servers({ here: { command: "x" } }),
    });
    expect(facts((await discover({ cwd: join(home, "a", "b") })).servers)).toEqual([
      ["here", "x", "project"],
    ]);
  });

  test("in a place that JACKFIELD_HOME names, unless that is a place of the project's", async () => {
    const { discover, home } = await homeWith({ "moved/mcp.json": servers({ own: { command: "x" } }) });
    const named = await discover({ env: { JACKFIELD_HOME: join(home, "moved") } });
    expect(facts(named.servers)).toEqual([["own", "x", "user"]]);
    const relative = await discover({ cwd: home, env: { JACKFIELD_HOME: "moved" } });
    expect(relative.servers).toEqual([]);
  });

  test("in the home folder itself, the user's own file is not a project's", async () => {
    const { discover, home } = await homeWith({ ".cursor/mcp.json": servers({ own: { command: "x" } }) });
    expect(facts((await discover({ cwd: home, hosts: ["cursor"] })).servers)).toEqual([["own", "x", "user"]]);
  });

  test("a host that is not known is a problem that names those that are", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": servers({ s: { command: "x" } }) });
    const { servers: found, problems } = await discover({ hosts: ["emacs", "jackfield"] });
    expect(facts(found)).toEqual([["s", "x", "project"]]);
    expect(problems).toMatchObject([
      { definedIn: { pointer: "/hosts" }, error: { code: "MCP_CONFIG_INVALID" } },
    ]);
    expect(problems[0]?.error.message).toContain('"claude-code"');
    expect((await discover({ hosts: 1 as never })).problems).toHaveLength(1);
  });

  test("all hosts together", async () => {
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

describe("which one counts", () => {
  test("explicit before managed, local, project, user and extension, whole entries", async () => {
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

  test("[A10] a project's entry that is switched off keeps the user's of the same name off", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": servers({ s: { command: "project", enabled: false } }),
      ".config/jackfield/mcp.json": servers({ s: { command: "user" } }),
    });
    const { servers: found } = await discover();
    expect(found).toMatchObject([{ name: "s", command: "project", enabled: false }]);
  });

  test("[A11] without project files the user's entry survives", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": servers({ s: { command: "project" } }),
      ".config/jackfield/mcp.json": servers({ s: { command: "user" } }),
    });
    expect(facts((await discover({ project: false })).servers)).toEqual([["s", "user", "user"]]);
  });

  test("what is in front of another for its endpoint alone says so", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({
        hub: { url: "https://Host.example/mcp/", headers: { Authorization: "Bearer ${env:T}" } },
        files: { command: "npx", args: ["files"] },
      }),
      ".claude.json": servers({
        github: { type: "http", url: "https://host.example/mcp", headers: { authorization: "Bearer ${T}" } },
        other: { type: "http", url: "https://host.example/mcp", headers: { Authorization: "Bearer ${U}" } },
        disk: { command: "npx", args: ["files"] },
        twin: { command: "npx", args: ["files"] },
      }),
    });
    const { servers: found, shadowed, diagnostics } = await discover({ hosts: ["cursor", "claude-code"] });
    expect(found.map(({ name }) => name)).toEqual(["hub", "files", "other"]);
    expect(shadowed.map(({ definition, by, reason }) => [definition.name, by, reason])).toEqual([
      ["github", "hub", "endpoint"],
      ["disk", "files", "endpoint"],
      ["twin", "files", "endpoint"],
    ]);
    expect(found[0]?.shadows).toMatchObject([
      { name: "github", reason: "endpoint", definedIn: { host: "claude-code" } },
    ]);
    expect(diagnostics.find(({ server }) => server === "github")?.message).toContain("the same endpoint");
  });

  test("an entry does not stand in front of one that offers other tools, and does of one by another transport", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ all: { command: "x" }, hub: { url: "https://host.example/mcp" } }),
      ".kiro/settings/mcp.json": servers({
        few: { command: "x", disabledTools: ["delete"] },
        old: { type: "sse", url: "https://host.example/mcp" },
        twin: { command: "x" },
      }),
    });
    const { servers: found, shadowed } = await discover({ hosts: ["cursor", "kiro"] });
    expect(found.map(({ name }) => name)).toEqual(["all", "hub", "few"]);
    expect(shadowed.map(({ definition }) => definition.name)).toEqual(["twin", "old"]);
  });

  test("[A12] an entry that is switched off does not stand in front of one of another name", async () => {
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

  test("two entries for one endpoint in one host are two servers", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": servers({ a: { command: "x" }, b: { command: "x" } }),
    });
    expect((await discover({ hosts: ["cursor"] })).servers).toHaveLength(2);
  });

  test("a file that two hosts read gives each server once", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": servers({ s: { command: "x" } }) });
    const { servers: found, shadowed, diagnostics } = await discover({ hosts: ["claude-code", "jackfield"] });
    expect(found).toMatchObject([{ name: "s", definedIn: { host: "claude-code" } }]);
    expect([shadowed, diagnostics]).toEqual([[], []]);
  });

  test("a file to which two paths of one host lead is loaded once, with the remarks on it", async () => {
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
      const found = await discover({ hosts: [host], cwd: join(project, "deep") });
      expect(found.servers).toMatchObject([{ name: "s", definedIn: { file } }]);
      expect(found.shadowed).toEqual([]);
      expect(found.diagnostics.map(({ code }) => code)).toEqual(["near-miss-field"]);
    }
  });
});

describe("what is not to be trusted", () => {
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

  test("[threat T05] a project's .env moves nothing", async () => {
    const { discover } = await homeWith({
      "work/.env": "JACKFIELD_HOME=/nowhere\nXDG_CONFIG_HOME=/nowhere\n",
      ".config/jackfield/mcp.json": servers({ own: { command: "x" } }),
    });
    expect((await discover()).servers).toHaveLength(1);
  });

  test("a broken file of one host hides nothing of another", async () => {
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

  test("a fault of a file that is read for several scopes is told once", async () => {
    const { discover, home } = await homeWith({ ".claude.json": '{"mcpServers": {' });
    const { problems } = await discover({ hosts: ["claude-code"] });
    expect(problems.map(({ error }) => error.location?.file)).toEqual([`${home}/.claude.json`]);
  });

  test("looking for servers that fails as a whole is one error, and explicit servers are there", async () => {
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
});
