import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createServerAdmission } from "../../src/admission/server-admission.ts";
import { definitionContent } from "../../src/approval/definition-content.ts";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { refused, signal } from "../resolution.ts";

const homeWith = useHomeFolder();

type Files = { [path: string]: unknown };

async function find(host: string, files: Files, env: { [name: string]: string } = {}) {
  const { home, project, discover } = await homeWith(files);
  const found = await discover({ hosts: [host], env });
  return { ...found, home, project, discover };
}

async function resolved(definition: ServerDefinition | undefined, options: ServerResolverOptions = {}) {
  const resolver = createServerResolver({ env: {}, isAdmitted: () => true, ...options });
  return resolver(definition as ServerDefinition, { signal });
}

const CONTENT = '{"mcp":{"a":{"enabled":true,"timeout":9000}}}';
const USER = ".config/opencode/opencode.json";
const opencode = (entry: object) => ({ mcp: { a: entry } });

describe("the paths of each layer are relative to its own file", () => {
  const local = { type: "local", command: ["./bin/srv", "./arg"], cwd: "data" };

  test.each([
    ["nothing", {}],
    ["OPENCODE_CONFIG_CONTENT", { OPENCODE_CONFIG_CONTENT: CONTENT }],
  ])("[threat T12] a user's server keeps its paths beneath %s", async (_what, env) => {
    const { servers, home } = await find("opencode", { [USER]: opencode(local) }, env);
    const folder = join(home, ".config/opencode");
    const expected = { command: join(folder, "bin/srv"), args: ["./arg"], cwd: join(folder, "data") };
    expect(servers).toMatchObject([{ ...expected, definedIn: { scope: "user" } }]);
    expect(await resolved(servers[0])).toMatchObject(expected);
  });

  test("[threat T12] a path that is relative once its variable is filled in belongs to its layer", async () => {
    const entry = { type: "local", command: ["{env:UNSET}./bin/srv"], cwd: "{env:UP}/data" };
    const env = { OPENCODE_CONFIG_CONTENT: CONTENT, UP: "up" };
    const { servers, home } = await find("opencode", { [USER]: opencode(entry) }, env);
    const folder = join(home, ".config/opencode");
    expect(await resolved(servers[0], { env, missingVariable: "host" })).toMatchObject({
      command: join(folder, "bin/srv"),
      cwd: join(folder, "up/data"),
    });
  });

  test("a stronger layer's own path is relative to that layer", async () => {
    const content = JSON.stringify(opencode({ command: ["./own"] }));
    const env = { OPENCODE_CONFIG_CONTENT: content };
    const { servers, home, project } = await find("opencode", { [USER]: opencode(local) }, env);
    const cwd = join(home, ".config/opencode/data");
    expect(servers).toMatchObject([{ command: join(project, "own"), cwd }]);
  });

  test.each<[string, { [name: string]: string }]>([
    ["nothing", {}],
    ["OPENCODE_CONFIG_CONTENT", { OPENCODE_CONFIG_CONTENT: CONTENT }],
    ["a named file in another folder", { OPENCODE_CONFIG: "other/oc.json" }],
  ])("[threat T13] a file reference reads the same file beneath %s", async (_what, { ...env }) => {
    const headers = { A: "Bearer {file:./tok} {file: t } {env:V}", B: "{file:~/other/tok}" };
    const { home, discover } = await homeWith({
      [USER]: opencode({ type: "remote", url: "https://x.example/", headers }),
      ".config/opencode/tok": "right\n",
      ".config/opencode/t": "short",
      "other/tok": "other",
      "other/t": "wrong",
      "work/tok": "wrong",
      "work/t": "wrong",
      "other/oc.json": opencode({ timeout: 9000 }),
    });
    if (env.OPENCODE_CONFIG) env.OPENCODE_CONFIG = join(home, env.OPENCODE_CONFIG);
    const { servers } = await discover({ hosts: ["opencode"], env });
    expect(await resolved(servers[0], { env: { HOME: home, V: "v" } })).toMatchObject({
      headers: { A: "Bearer right short v", B: "other" },
    });
  });

  test("other text that looks like a reference is left unchanged", async () => {
    const args = ["\\\\$A", "${A:-x}", "$(echo ./file:x)", "{file:./x}"];
    const { servers } = await find("crush", {
      ".config/crush/crush.json": { mcp: { a: { command: "c", args } } },
      "work/crush.json": { mcp: { a: { timeout: 5 } } },
    });
    expect(servers).toMatchObject([{ args }]);
  });

  test("a file whose path no reference can hold is not read, nor one with its name elsewhere", async () => {
    const { home, discover } = await homeWith({
      "x{y}/opencode/opencode.json": opencode({
        type: "remote",
        url: "https://x.example/",
        headers: { A: "{file:./tok}" },
      }),
      "x{y}/opencode/tok": "right",
      "work/tok": "wrong",
    });
    const env = { XDG_CONFIG_HOME: join(home, "x{y}"), OPENCODE_CONFIG_CONTENT: CONTENT };
    const { servers } = await discover({ hosts: ["opencode"], env });
    const error = await refused(resolved(servers[0]));
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
  });

  test("each layer of a project and the user's layer beneath keep their own folder", async () => {
    const { home, project, discover } = await homeWith({
      "work/crush.json": { mcp: { a: { command: "./above", cwd: "./data" } } },
      "work/sub/crush.json": { mcp: { a: { timeout: 5 } } },
      ".config/crush/crush.json": { mcp: { b: { command: "./user", cwd: "." } } },
      "work/sub/.crush.json": { mcp: { b: { timeout: 5 } } },
    });
    const { servers } = await discover({ hosts: ["crush"], cwd: join(project, "sub") });
    const byName = Object.fromEntries(servers.map((server) => [server.name, server]));
    expect(byName.a).toMatchObject({ command: join(project, "above"), cwd: join(project, "data") });
    const folder = join(home, ".config/crush");
    expect(byName.b).toMatchObject({ command: join(folder, "user"), cwd: folder });
    expect(await resolved(byName.a)).toMatchObject({ cwd: join(project, "data") });
  });
});

/** Finds a user's server that Codex merges with the layer of a trusted project. */
async function codex(user: string, project: string) {
  const { home, write, discover } = await homeWith({ "work/.codex/config.toml": project });
  const trust = `[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`;
  await write(".codex/config.toml", `${user}\n${trust}`);
  const found = await discover({ hosts: ["codex"] });
  return { ...found, home, project: join(home, "work"), write, discover };
}

const server = (lines: string) => `[mcp_servers.a]\n${lines}\n`;

test("numbers in env become strings as the winning layer spells them", async () => {
  const { servers } = await codex(
    server('command = "x"\nenv = { A = 1.10, B = 1.10, C = 2 }'),
    server("env = { B = 5, C = 2.50, D = 9007199254740993 }"),
  );
  const env = { A: "1.10", B: "5", C: "2.50", D: "9007199254740993" };
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

  test.each([
    ["a stronger layer sets a timeout", CONTENT],
    ["a stronger layer sets a loader variable", '{"mcp":{"a":{"environment":{"NODE_OPTIONS":"--x"}}}}'],
  ])("[threat T24] is refused for its cwd even where %s", async (_what, content) => {
    const files = {
      [USER]: opencode({ type: "local", command: ["u"], cwd: "/srv" }),
      "work/opencode.json": opencode({ cwd: "/etc" }),
    };
    const { problems, servers } = await find("opencode", files, { OPENCODE_CONFIG_CONTENT: content });
    expect(servers).toMatchObject([{ cwd: "/srv", definedIn: { scope: "user" } }]);
    expect(problems[0]?.error.message).toContain('"cwd" leads out');
  });

  test("[threat T24] may not leave the project by a filled-in cwd, while the user's entry may", async () => {
    const user = opencode({ type: "local", command: ["u"], cwd: "{env:PLACE}" });
    const env = { PLACE: "/srv/docs" };
    const options = { env, projectVariables: ["PLACE"] };
    const mine = await find("opencode", { [USER]: user, "work/opencode.json": opencode({ timeout: 5 }) });
    expect(mine.servers).toMatchObject([{ definedIn: { scope: "project" } }]);
    expect(await resolved(mine.servers[0], options)).toMatchObject({ cwd: "/srv/docs" });
    const theirs = await find("opencode", {
      [USER]: user,
      "work/opencode.json": opencode({ cwd: "{env:PLACE}" }),
    });
    const error = await refused(resolved(theirs.servers[0], options));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    // The texts are equal, but the approved content is not.
    const [before, after] = [mine, theirs].map(({ servers }) => {
      const { limits: _limits, definedIn, ...rest } = servers[0] as ServerDefinition;
      const place = { ...definedIn, file: "f", root: "r" };
      return definitionContent({ ...rest, definedIn: place } as ServerDefinition);
    });
    expect(before).not.toBe(after);
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

  test.each<[string, object]>([
    ["url", { url: "https://evil.example/" }],
    ["headers", { headers: { "X-Forward": "https://evil.example/" } }],
  ])("[threat T12] makes a user's remote server wait for approval by setting %s", async (_what, written) => {
    const files = {
      [USER]: opencode({ type: "remote", url: "https://x.example/", headers: { A: "{file:./tok}{env:T}" } }),
      ".config/opencode/tok": "planted",
      "work/opencode.json": opencode(written),
    };
    const { servers, discover } = await find("opencode", files);
    expect(servers).toMatchObject([{ ...written, definedIn: { scope: "project" } }]);
    // Even once approved, it does not see what the user's part refers to.
    const options = { env: { T: "planted" }, missingVariable: "empty" } as const;
    expect(await refused(resolved(servers[0], options))).toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
    const { admit, isAdmitted } = createServerAdmission();
    const { servers: used } = await discover({ hosts: ["opencode"], admit });
    expect(await resolved(used[0], { env: { T: "!" }, isAdmitted })).toMatchObject({
      url: "https://x.example/",
      headers: { A: "planted!" },
    });
  });

  test("[threat T24] cannot claim the user's scope with fields of its own", async () => {
    const parts = '{ cwd = { scope = "user", file = "/x" } }';
    const lines = `command = "p"\ncwd = "/srv"\nparts = ${parts}\ndefinedIn = { scope = "user", parts = ${parts} }`;
    const { servers, problems } = await codex("", server(lines));
    expect(servers).toEqual([]);
    expect(problems[0]?.error.message).toContain('"cwd" leads out');
  });
});
