import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { FindingContext, HostFile } from "../../src/hosts/host-dialect.ts";
import { HOST_DIALECTS } from "../../src/hosts/host-dialects.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const CLAUDE = { hosts: ["claude-code"] };
const mine = { mine: { command: "mine" } };
const its = { its: { command: "its" } };

/** The servers and diagnostics of Claude Code's user file, which has the user's servers and those of each project. */
async function readClaudeFile(content: object | string, record?: object) {
  const { write, project, discover } = await homeWith();
  await write(".claude.json", record ? { ...Object(content), projects: { [project]: record } } : content);
  const { servers, diagnostics } = await discover(CLAUDE);
  return [
    servers.map(({ name, definedIn: { scope } }) => `${name}: ${scope}`),
    diagnostics.map(({ code, pointer }) => `${code}: ${pointer}`),
  ];
}

describe("a file with servers in two places", () => {
  test.each<[string, object, object | undefined, string[]]>([
    ["only the user's", { mcpServers: mine }, undefined, ["mine: user"]],
    ["the user's, beside a project without any", { mcpServers: mine }, {}, ["mine: user"]],
    ["only the project's", {}, { mcpServers: its }, ["its: local"]],
    ["both", { mcpServers: mine }, { mcpServers: its }, ["its: local", "mine: user"]],
  ])("gets no diagnostics about its keys: %s", async (_what, content, record, found) => {
    expect(await readClaudeFile(content, record)).toEqual([found, []]);
  });

  test("is reported once as having no servers", async () => {
    expect(await readClaudeFile({}, {})).toEqual([[], ["no-servers: "]]);
  });

  test("is reported once for each repeated key", async () => {
    const text =
      '{"numStartups": 1,\n"numStartups": 2,\n"mcpServers": {"mine": {"command": "mine", "command": "x"}}}';
    const repeated = ["duplicate-key: /numStartups", "duplicate-key: /mcpServers/mine/command"];
    expect(await readClaudeFile(text)).toEqual([["mine: user"], repeated]);
  });

  test("is reported once for another host's root key, whatever its projects have", async () => {
    const wrong = ["wrong-root-key: /servers"];
    expect(await readClaudeFile({ servers: mine })).toEqual([[], wrong]);
    expect(await readClaudeFile({ servers: mine }, { mcpServers: its })).toEqual([["its: local"], wrong]);
  });
});

describe("servers under a wrong root key", () => {
  const other = { other: { command: "other" } };

  test.each<[string, string, string]>([
    ["claude-code", "mcpServers", "servers"],
    ["claude-code", "mcpServers", "mcp_servers"],
    ["codex", "mcp_servers", "mcpServers"],
    ["vscode", "servers", "mcpServers"],
    ["zed", "context_servers", "mcpServers"],
  ])("are reported although others are valid: %s, %s beside %s", async (host, right, wrong) => {
    const file = host === "codex" ? "/folder/config.json" : "/folder/own.json";
    const { names, diagnostics } = await parse({ [right]: mine, [wrong]: other }, { host, file });
    expect(names).toEqual(["mine"]);
    expect(diagnostics).toMatchObject([{ code: "wrong-root-key", severity: "warning", suggestion: right }]);
    expect(diagnostics[0]?.message).toContain("Move them there.");
  });

  test.each<[string, object, object]>([
    ["crush", { mcp: {} }, { mcpServers: other }],
    ["opencode", { mcp: { a: { type: "local", command: ["x"] } } }, { mcpServers: other }],
    ["goose", { extensions: {} }, { mcpServers: other }],
    ["amp", { "amp.mcpServers": {} }, { mcpServers: other }],
    ["continue", { mcpServers: [] }, { servers: other }],
    [
      "continue",
      { mcpServers: [{ name: "mine", command: "x" }] },
      { servers: [{ name: "b", command: "x" }] },
    ],
    ["claude-code", { mcpServers: mine }, { servers: [{ command: "x" }] }],
    ["zed", { context_servers: {} }, { mcpServers: other }],
  ])("are reported beside the host's own key, whatever that holds: %s, %j", async (host, right, wrong) => {
    const { told } = await parse({ ...right, ...wrong }, { host, file: "/folder/own.yaml" });
    expect(told).toEqual(["wrong-root-key"]);
  });

  test.each<[string, object]>([
    ["crush", { mcp: mine, mcpServers: mine }],
    ["amp", { "amp.mcpServers": mine, mcp: { servers: mine }, extensions: mine }],
    ["goose", { extensions: {}, mcpServers: { a: true }, servers: ["x"] }],
    ["gemini", { mcpServers: {}, mcp: { allowed: ["x"] } }],
    ["vscode", { mcp: { servers: {} }, "amp.mcpServers": mine }],
  ])("are not reported where another host may keep its own: %s, %j", async (host, content) => {
    const { told } = await parse(content, { host, file: "/folder/own.json" });
    expect(told.filter((code) => code === "wrong-root-key")).toEqual([]);
  });

  test.each<[string, string, object]>([
    ["with the same names, for another host that reads the file", "servers", mine],
    ["that are not valid entries", "servers", { other: "x" }],
    ["under a key that means something else", "mcp", other],
  ])("are not reported: %s", async (_what, key, value) => {
    const { names, told } = await parse({ mcpServers: mine, [key]: value });
    expect([names, told]).toEqual([["mine"], []]);
  });
});

describe("another host's root key in a format for a single server", () => {
  const bundle = { name: "x", server: { type: "node", mcp_config: { command: "node" } } };
  const option = { registryType: "npm", identifier: "y", version: "1.0.0", transport: { type: "stdio" } };

  test.each<[string, object]>([
    ["mcpb", { ...bundle, mcpServers: { x: { command: "node" }, y: { command: "z" } } }],
    ["mcpb", { ...bundle, servers: mine }],
    ["registry", { name: "io.x/y", packages: [option], servers: [{ type: "http", url: "https://h" }] }],
    ["registry", { name: "io.x/y", packages: [option], mcpServers: mine }],
    ["registry", { name: "io.x/y", remotes: [{ type: "sse", url: "https://h" }], mcpServers: mine }],
  ])("is not reported beside that server: %s, %j", async (host, content) => {
    const { names, told } = await parse(content, { host, file: "/folder/own.json" });
    expect([names.length, told]).toEqual([1, []]);
  });

  test.each([
    ["mcpb", { mcpServers: mine }],
    ["registry", { servers: [{ type: "http", url: "https://h" }] }],
  ])("does not count as the server, which is reported as missing: %s, %j", async (host, content) => {
    const { names, told } = await parse({ name: "x", ...content }, { host, file: "/folder/own.json" });
    expect([names, told]).toEqual([[], ["no-servers"]]);
  });

  test.each([
    ["mcpb", "Server", "server", {}],
    ["registry", "remote", "remotes", { packages: [option] }],
  ])(
    "a misspelled key of its own format gets a suggestion: %s, %s",
    async (host, key, suggestion, content) => {
      const { diagnostics } = await parse(
        { name: "x", ...content, [key]: [] },
        { host, file: "/folder/own.json" },
      );
      expect(diagnostics).toMatchObject([{ code: "near-miss-field", suggestion }]);
      expect(diagnostics[0]?.message).toMatch(/is not read; did you mean "\w+"\?$/);
    },
  );
});

describe("a file with servers under its host's own key", () => {
  const context: FindingContext = {
    folders: [],
    isStandaloneFile: false,
    platform: "linux",
    remark: () => {},
  };
  /** Leaves out managed files and files named by a variable, which are outside the home folder. */
  const pathsIn = (home: string, file: HostFile) => {
    const cwd = join(home, "work");
    const at = { platform: "linux", env: {}, home, cwd, projectTop: cwd } as const;
    const paths = file.paths(at).map((path) => relative(home, path.file));
    return paths.filter((path) => !path.startsWith(".."));
  };
  const kinds = HOST_DIALECTS.flatMap((host) =>
    host.files.flatMap((file) => {
      const find = file.servers ?? host.servers;
      const [place] = find === "none" || file.script !== undefined ? [] : find({ mcpServers: {} }, context);
      if (place === undefined || pathsIn("/home", file).length === 0) return [];
      return [{ host: host.id, kind: file.kind, file, path: place.path.map(String) }];
    }),
  );

  test.each(kinds)("gets no diagnostics about its keys: $host, $kind", async ({ host, file, path }) => {
    const { home, write, discover } = await homeWith();
    for (const name of pathsIn(home, file)) {
      const existing = name.replace(/[*]$/, "a.yaml").replace("*", "a");
      await write(existing, contentOf(path, existing));
    }
    const { diagnostics } = await discover({ hosts: [host] });
    const remarks = ["wrong-root-key", "near-miss-field", "no-servers"];
    const ofKeys = diagnostics.filter(({ code, server }) => server === undefined && remarks.includes(code));
    expect(ofKeys).toEqual([]);
  });

  function contentOf(path: readonly string[], file: string): unknown {
    if (file.endsWith(".toml")) return `[${path.join(".")}.a]\ncommand = "a"\n`;
    const field = path.includes("extensions") ? "cmd" : "command";
    const servers: unknown = { a: { type: "stdio", [field]: "a" } };
    return path.reduceRight((inner, key) => ({ [key]: inner }), servers);
  }
});
