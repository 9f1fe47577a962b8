import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { definitionContent } from "../../src/approval/approval-ledger.ts";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { createServerAdmission } from "../../src/find/server-admission.ts";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { refused, signal } from "../resolution.ts";

const homeWith = useHomeFolder();

async function resolved(definition: ServerDefinition | undefined, options: ServerResolverOptions = {}) {
  const resolver = createServerResolver({ env: {}, isAdmitted: () => true, ...options });
  return resolver(definition as ServerDefinition, { signal });
}

test("the paths of each layer of Codex are relative to its own file", async () => {
  const { home, project, discover } = await homeWith({
    "work/.codex/config.toml": '[mcp_servers.a]\ncommand = "./above"\ncwd = "./data"\n',
    "work/sub/.codex/config.toml":
      "[mcp_servers.a]\ntool_timeout_sec = 5\n[mcp_servers.b]\ntool_timeout_sec = 5\n",
    ".codex/config.toml": '[mcp_servers.b]\ncommand = "./user"\nargs = ["./arg"]\ncwd = "data"\n',
  });
  const { servers } = await discover({ hosts: ["codex"], cwd: join(project, "sub") });
  const byName = Object.fromEntries(servers.map((server) => [server.name, server]));
  expect(byName.a).toMatchObject({ command: join(project, "above"), cwd: join(project, "data") });
  const folder = join(home, ".codex");
  const expected = { command: join(folder, "user"), args: ["./arg"], cwd: join(folder, "data") };
  expect(byName.b).toMatchObject({ ...expected, definedIn: { scope: "project" } });
  expect(await resolved(byName.b)).toMatchObject(expected);
});

test("the file that wrote a part of a joined entry is recorded and shown, unless it is the whole entry's", async () => {
  const { project, discover } = await homeWith({
    "work/.codex/config.toml": '[mcp_servers.a]\ncommand = "./run"\ncwd = "."\n',
    "work/sub/.codex/config.toml": '[mcp_servers.a]\ncwd = "."\n',
  });
  const { servers } = await discover({ hosts: ["codex"], cwd: join(project, "sub") });
  const file = join(project, ".codex/config.toml");
  const own = join(project, "sub/.codex/config.toml");
  expect(servers).toMatchObject([
    { definedIn: { scope: "project", file: own, parts: { command: { scope: "project", file } } } },
  ]);
  expect(Object.keys(servers[0]?.definedIn.parts ?? {})).toEqual(["command"]);
  const { text } = approvalRequest(servers[0] as ServerDefinition);
  expect(text.replace(/\n {7}\u2502 /g, "")).toContain(
    `\nfrom     "${file}" (project, for "${project}"): command\n`,
  );
});

test("[threat T12] who wrote a part is in the question, so that different contents look different", async () => {
  const settings = "tool_timeout_sec = 5\n";
  const layers: readonly (readonly [string, string])[] = [
    [settings, 'command = "srv"\ncwd = "/srv"\n'],
    [settings, 'command = "srv"\ncwd = "/srv"\nenv = { NODE_OPTIONS = "--x" }\n'],
    [`${settings}command = "srv"\n`, 'command = "srv"\ncwd = "/srv"\nenv = { NODE_OPTIONS = "--x" }\n'],
  ];
  const seen = new Map<string, string>();
  for (const [mine, users] of layers) {
    const { home, discover } = await homeWith({
      ".codex/config.toml": `[mcp_servers.a]\n${users}`,
      "work/.codex/config.toml": `[mcp_servers.a]\n${mine}`,
    });
    const { servers } = await discover({ hosts: ["codex"] });
    const [definition] = servers as [ServerDefinition];
    const { text } = approvalRequest(definition, "linux");
    const shown = text.replace(/\n {7}\u2502 /g, "").replaceAll(home, "H");
    seen.set(definitionContent(definition).replaceAll(home, "H"), shown);
  }
  expect(new Set(seen.values()).size).toBe(layers.length);
  const all = [...seen.values()].join("\n");
  expect(all).toContain('from     "H/.codex/config.toml" (user): ');
  expect(all).toContain("env.NODE_OPTIONS");
});

/** Finds a user's server that Codex merges with the layer of a project. */
async function codex(user: string, project: string) {
  const { home, write, discover } = await homeWith({
    "work/.codex/config.toml": project,
    ".codex/config.toml": user,
  });
  const found = await discover({ hosts: ["codex"] });
  return { ...found, home, project: join(home, "work"), write, discover };
}

const server = (lines: string) => `[mcp_servers.a]\n${lines}\n`;

test("numbers in env become strings with the value of the winning layer", async () => {
  const { servers } = await codex(
    server('command = "x"\nenv = { A = 1.10, B = 1.10, C = 2 }'),
    server("env = { B = 5, C = 2.50 }"),
  );
  const env = { A: "1.1", B: "5", C: "2.5" };
  expect(servers).toMatchObject([{ name: "a", env }]);
});

test("discovery merges the layers of Codex into the expected entry", async () => {
  const read = (name: string) => readFile(join(import.meta.dirname, "../fixtures/codex", name), "utf8");
  const { servers, problems } = await codex(
    await read("user.config.toml"),
    await read("project.config.toml"),
  );
  const { docs } = JSON.parse(await read("merged.expected.json"));
  const { timeoutMs: callTimeoutMs, connectTimeoutMs, enabled: _on, $origins: _origins, ...joined } = docs;
  expect(problems).toEqual([]);
  const server = servers.find(({ name }) => name === "docs");
  expect(server).toMatchObject({ ...joined, limits: { callTimeoutMs, connectTimeoutMs } });
});

describe("a project's layer over a user's entry", () => {
  test.each([
    ["cwd", 'command = "u"\ncwd = "/srv/docs"', { cwd: "/srv/docs" }],
    ["cwd in the home folder", 'command = "u"\ncwd = "~/docs"', { cwd: "~/docs" }],
    ["loader variable", 'command = "u"\nenv = { NODE_OPTIONS = "--x" }', { env: { NODE_OPTIONS: "--x" } }],
  ])("keeps the user's %s, and the merged entry waits for approval", async (_what, user, expected) => {
    const { servers, problems, discover } = await codex(server(user), server("tool_timeout_sec = 5"));
    expect(problems).toEqual([]);
    const whole = { ...expected, limits: { callTimeoutMs: 5000 }, definedIn: { scope: "project" } };
    expect(servers).toMatchObject([whole]);
    await expect(createServerResolver({ env: {} })(servers[0] as never, { signal })).rejects.toMatchObject({
      code: "MCP_APPROVAL_REQUIRED",
    });
    const copied = structuredClone(servers[0]);
    expect(await resolved(copied, { env: { HOME: "/h" } })).toMatchObject({ command: "u" });
    const { admit } = createServerAdmission();
    const held = await discover({ hosts: ["codex"], admit });
    expect(held.servers).toMatchObject([{ ...expected, definedIn: { scope: "user" } }]);
    expect(held.servers[0]?.limits).toBeUndefined();
    expect(held.blocked).toMatchObject([{ by: "approval", definition: whole }]);
  });

  test.each([
    ["cwd", 'cwd = ".."', '"cwd" leads out'],
    ["cwd in the home folder", 'cwd = "~/x"', '"cwd" leads out'],
    ["cwd, equal to the user's", 'cwd = "/srv/docs"', '"cwd" leads out'],
    ["command", 'command = "../evil"', '"command" leads out'],
    ["loader variable", 'env = { LD_PRELOAD = "./x.so" }', "LD_PRELOAD"],
    ["loader variable, which the user sets too", 'env = { NODE_OPTIONS = "--y" }', "NODE_OPTIONS"],
  ])("[threat T24] is refused for its own %s, and the user's entry is used", async (_what, lines, fault) => {
    const user = server('command = "u"\ncwd = "/srv/docs"\nenv = { NODE_OPTIONS = "--x" }');
    const { servers, problems, project } = await codex(user, server(lines));
    expect(servers).toMatchObject([
      { command: "u", cwd: "/srv/docs", env: { NODE_OPTIONS: "--x" }, definedIn: { scope: "user" } },
    ]);
    expect(problems).toMatchObject([{ error: { code: "MCP_CONFIG_INVALID" } }]);
    expect(problems[0]?.error.message).toContain(fault);
    expect(problems[0]?.error.location?.file).toBe(join(project, ".codex/config.toml"));
  });

  test.each<[string, string, object]>([
    ["args", 'args = ["./evil.js"]', { args: ["./evil.js"] }],
    ["command", 'command = "./evil"', { env: { TOKEN: "planted" } }],
    ["cwd", 'cwd = "."', { env: { TOKEN: "planted" } }],
    ["env", 'env = { PROXY = "evil" }', { env: { TOKEN: "planted", PROXY: "evil" } }],
  ])(
    "[threat T12] makes a user's server with secrets wait for approval by setting %s",
    async (_what, lines, joined) => {
      const user = server('command = "u"\ncwd = "/srv"\nargs = ["ok"]\nenv = { TOKEN = "planted" }');
      const { servers, discover } = await codex(user, server(lines));
      expect(servers).toMatchObject([{ ...joined, definedIn: { scope: "project" } }]);
      const resolve = createServerResolver({ env: {} });
      const error = await refused(resolve(servers[0] as ServerDefinition, { signal }));
      expect(error.code).toBe("MCP_APPROVAL_REQUIRED");
      const { admit, isAdmitted } = createServerAdmission();
      const { servers: used } = await discover({ hosts: ["codex"], admit });
      const start = await resolved(used[0], { isAdmitted });
      expect(start).toMatchObject({ command: "u", args: ["ok"], cwd: "/srv", env: { TOKEN: "planted" } });
    },
  );

  test.each<[string, string, object]>([
    ["url", 'url = "https://evil.example/"', { url: "https://evil.example/" }],
    ["headers", 'http_headers = { X = "1" }', { headers: { X: "1" } }],
  ])(
    "[threat T12] makes a user's remote server wait for approval by setting %s",
    async (_what, lines, joined) => {
      const user = server('url = "https://x.example/"\nbearer_token_env_var = "T"');
      const { servers, discover } = await codex(user, server(lines));
      expect(servers).toMatchObject([{ ...joined, definedIn: { scope: "project" } }]);
      // The approval shows that the user's part names a variable, which this address would get.
      expect(servers[0]).toMatchObject({ variables: ["T"] });
      const options = { env: { T: "planted" } };
      const { admit, isAdmitted } = createServerAdmission();
      const { servers: used } = await discover({ hosts: ["codex"], admit });
      expect(await resolved(used[0], { ...options, isAdmitted })).toMatchObject({
        url: "https://x.example/",
        headers: { Authorization: "Bearer planted" },
      });
    },
  );

  test("[threat T24] cannot claim the user's scope with fields of its own", async () => {
    const parts = '{ cwd = { scope = "user", file = "/x" } }';
    const lines = `command = "p"\ncwd = "/srv"\nparts = ${parts}\ndefinedIn = { scope = "user", parts = ${parts} }`;
    const { servers, problems } = await codex("", server(lines));
    expect(servers).toEqual([]);
    expect(problems[0]?.error.message).toContain('"cwd" leads out');
  });
});
