import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigDiagnostic } from "../../src/diagnostic-codes.ts";
import { CODEX } from "../../src/hosts/codex.ts";
import { type ParsedHostText, parseHostText } from "../../src/sources/host-document.ts";
import { readHostServersSafely } from "../../src/sources/host-servers.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();

const SERVERS = `
[mcp_servers.local]
command = "company-cli"
args = ["mcp", "--at=https://a.example"]
[mcp_servers.remote]
url = "https://mcp.example/a"
`;

/** For each of the two servers, what switches it off and why; `undefined` if it stays on. */
async function reasons(requirements: string): Promise<readonly (string | undefined)[]> {
  const told: ConfigDiagnostic[] = [];
  const report = (diagnostic: ConfigDiagnostic) => told.push(diagnostic);
  const documents: ParsedHostText[] = [];
  for (const [kind, scope, text] of [
    ["user", "user", SERVERS],
    ["requirements", "managed", requirements],
  ] as const) {
    const file = CODEX.files.find((known) => known.kind === kind);
    const servers = file?.servers ?? CODEX.servers;
    const source = { file: `/c/${kind}.toml`, kind, scope, text, servers, dialect: CODEX, host: "codex" };
    const { document } = await parseHostText({ ...source, format: "toml" }, report);
    if (document) documents.push(document);
  }
  const host = { dialect: CODEX, documents, isExclusive: false, isTrusted: false };
  const context = { folders: [], isStandaloneFile: false, platform: "linux", remark: () => {} } as const;
  const { entries } = readHostServersSafely(host, context, report);
  expect(entries.map(({ name }) => name)).toEqual(["local", "remote"]);
  return entries.map(({ name, outcome }) => {
    const definition = "definition" in outcome ? outcome.definition : undefined;
    const diagnostic = told.find(({ server }) => server === name);
    expect(diagnostic?.code).toBe(definition?.enabled === false ? "disabled-by-host" : undefined);
    const off = definition?.disabledBy;
    return off && diagnostic?.message.replace(`Server "${name}" is switched off by "${off}"`, off);
  });
}

const local = (identity: string) => `[mcp_servers.local.identity]\n${identity}\n`;
const remote = (identity: string) => `[mcp_servers.remote.identity]\n${identity}\n`;

const OTHER = "requirements.toml: the server is not the one that it requires.";
const NEITHER = "requirements.toml: its identity there is neither a command nor a url.";

describe("a Codex profile", () => {
  const profile = 'profile = "dev"\n[mcp_servers.a]\ncommand = "x"\n';

  test("is reported as unread if the user's file names it", async () => {
    const { home, discover } = await homeWith({
      ".codex/config.toml": profile,
      ".codex/dev.config.toml": '[mcp_servers.b]\ncommand = "y"\n',
    });
    const { servers, diagnostics } = await discover({ hosts: ["codex"] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    const file = join(home, ".codex/config.toml");
    expect(diagnostics).toMatchObject([{ code: "unread-profile", severity: "info", file, line: 1 }]);
    expect(diagnostics[0]?.message).toContain(
      'Codex reads "dev.config.toml" only when it is started with --profile',
    );
  });

  test("is not reported if a project names it or it is not a string", async () => {
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": profile });
    await write(
      ".codex/config.toml",
      `profile = 3\n[profiles.dev]\nmodel = "m"\n[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`,
    );
    const { servers, diagnostics } = await discover({ hosts: ["codex"] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    expect(diagnostics.filter(({ pointer }) => pointer === "/profile")).toEqual([]);
  });
});

describe("requirements.toml of Codex", () => {
  test("is at a system path on each platform", () => {
    const file = CODEX.files.find(({ kind }) => kind === "requirements");
    const at = { env: {}, home: "/h", cwd: "/h", projectTop: "/h" };
    const found = (["linux", "darwin", "win32"] as const).map((platform) => file?.paths({ ...at, platform }));
    expect(found.map((paths) => paths?.map((path) => path.file))).toEqual([
      ["/etc/codex/requirements.toml"],
      ["/etc/codex/requirements.toml"],
      ["C:\\ProgramData\\OpenAI\\Codex\\requirements.toml"],
    ]);
  });

  test("without mcp_servers disables no server", async () => {
    expect(await reasons('allowed_approval_policies = ["never"]')).toEqual([undefined, undefined]);
  });

  test("disables unlisted servers, and all of them if its list is empty or invalid", async () => {
    const unlisted = "requirements.toml: the server is not listed there.";
    expect(await reasons(local('command = "company-cli"'))).toEqual([undefined, unlisted]);
    expect(await reasons("[mcp_servers]")).toEqual([unlisted, unlisted]);
    const noTable = "requirements.toml: its mcp_servers is not a table.";
    expect(await reasons("mcp_servers = 3")).toEqual([noTable, noTable]);
  });

  const matching = (args: string) => local(`command = { executable = "company-cli", args = [${args}] }`);
  const exact = '{ match = "exact", value = "mcp" }';
  test.each([
    [local('command = "company-cli"'), undefined],
    [local('command = "other"'), OTHER],
    [local('url = "company-cli"'), OTHER],
    [matching(`${exact}, { match = "prefix", value = "--at=" }`), undefined],
    [matching(`${exact}, { match = "prefix", value = "--to=" }`), OTHER],
    [matching(exact), OTHER],
    [matching(`${exact}, ${exact}, ${exact}`), OTHER],
    [matching(""), OTHER],
    [local('command = { executable = "other", args = [] }'), OTHER],
  ])("compares a server's command line: %s", async (requirements, reason) => {
    expect((await reasons(requirements))[0]).toBe(reason);
  });

  test.each([
    ['url = "https://mcp.example/a"', undefined],
    ['url = "https://mcp.example/"', OTHER],
    ['url = { match = "prefix", value = "https://mcp.example/" }', undefined],
    ['url = { match = "exact", value = "https://mcp.example/" }', OTHER],
    ['command = "https://mcp.example/a"', OTHER],
    ["", NEITHER],
    ['command = "x"\nurl = "https://mcp.example/a"', NEITHER],
    ['host = "mcp.example"', NEITHER],
  ])("compares a server's URL: %s", async (identity, reason) => {
    expect((await reasons(remote(identity)))[1]).toBe(reason);
  });

  test.each([
    remote('url = { match = "glob", value = "https://mcp.example/*" }'),
    remote('url = { match = "exact", value = "https://mcp.example/a", more = 1 }'),
    remote('url = { match = "prefix" }'),
    remote("url = 1"),
    local("command = 1"),
    local('command = { executable = "company-cli" }'),
    matching(`${exact}, "--at=https://a.example"`),
  ])("disables a server whose requirement is unreadable: %s", async (requirements) => {
    const unreadable = "requirements.toml: its requirement for the server cannot be read.";
    expect(await reasons(requirements)).toContain(unreadable);
  });

  test("evaluates no regular expression and says so in the reason", async () => {
    const [, reason] = await reasons(remote(`url = { match = "regex", expression = "(.+)+" }`));
    expect(reason).toContain("it uses a regular expression, which Jackfield does not evaluate");
  });
});

test.each([
  ["oauth beside a command", 'command = "x"\noauth = { client_id = "c" }', "oauth"],
  ["oauth_resource beside a command", 'command = "x"\noauth_resource = "https://r"', "oauth_resource"],
])("Codex refuses %s", async (_what, lines, field) => {
  const { names, diagnostics } = await parse(`[mcp_servers.s]\n${lines}\n`, {
    host: "codex",
    file: "/c/config.toml",
  });
  expect(names).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "ServerConfigError", line: 3 }]);
  expect(diagnostics[0]?.message).toContain(`"${field}" is refused`);
});

test("Codex passes through only local env_vars and reports an unknown source", async () => {
  const lines = `[mcp_servers.s]
command = "x"
env_vars = ["A", { name = "B", source = "remote" }, { name = "C", source = "local" }]
[mcp_servers.t]
command = "x"
env_vars = ["A", { name = "B", source = "vault" }, { name = "C" }]
`;
  const { servers, diagnostics } = await parse(lines, { host: "codex", file: "/c/config.toml" });
  expect(servers.map(({ written: { envPassthrough, extra } }) => [envPassthrough, extra])).toEqual([
    [["A", "C"], { env_vars: [{ name: "B", source: "remote" }] }],
    [["A", "C"], { env_vars: [{ name: "B", source: "vault" }] }],
  ]);
  expect(diagnostics).toMatchObject([
    { code: "invalid-field", server: "t", pointer: "/mcp_servers/t/env_vars/1" },
  ]);
});

describe("a project folder in Codex", () => {
  test.each<[string, { [folder: string]: string }, readonly string[]]>([
    ["is trusted with its project", { work: "trusted" }, ["deep", "top"]],
    ["may be trusted alone", { "work/a": "trusted" }, ["deep"]],
    ["may be excluded from its project's trust", { work: "trusted", "work/a": "untrusted" }, ["top"]],
    ["is not trusted because a subfolder is", { "work/a/b": "trusted" }, []],
  ])("%s", async (_what, levels, expected) => {
    const { home, project, write, discover } = await homeWith({
      "work/.codex/config.toml": '[mcp_servers.top]\ncommand = "top"\n',
      "work/a/.codex/config.toml": '[mcp_servers.deep]\ncommand = "deep"\n',
    });
    const lines = Object.entries(levels).map(
      ([folder, level]) => `[projects."${join(home, folder)}"]\ntrust_level = "${level}"\n`,
    );
    await write(".codex/config.toml", lines.join(""));
    const { servers } = await discover({ hosts: ["codex"], cwd: join(project, "a") });
    expect(servers.map(({ name }) => name).sort()).toEqual(expected);
  });
});
