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

describe("each layer's paths are relative to its own file", () => {
  const local = { type: "local", command: ["./bin/srv", "./arg"], cwd: "data" };

  test.each([
    ["nothing", {}],
    ["a variable with settings", { OPENCODE_CONFIG_CONTENT: CONTENT }],
  ])("[threat T12] a server of the user's is the same one beneath %s", async (_what, env) => {
    const { servers, home } = await find("opencode", { [USER]: opencode(local) }, env);
    const folder = join(home, ".config/opencode");
    const expected = { command: join(folder, "bin/srv"), args: ["./arg"], cwd: join(folder, "data") };
    expect(servers).toMatchObject([{ ...expected, definedIn: { scope: "user" } }]);
    expect(await resolved(servers[0])).toMatchObject(expected);
  });

  test("[threat T12] so are paths that turn out relative once a variable at their beginning is filled in", async () => {
    const entry = { type: "local", command: ["{env:UNSET}./bin/srv"], cwd: "{env:UP}/data" };
    const env = { OPENCODE_CONFIG_CONTENT: CONTENT, UP: "up" };
    const { servers, home } = await find("opencode", { [USER]: opencode(entry) }, env);
    const folder = join(home, ".config/opencode");
    expect(await resolved(servers[0], { env, missingVariable: "host" })).toMatchObject({
      command: join(folder, "bin/srv"),
      cwd: join(folder, "up/data"),
    });
  });

  test("what a stronger layer writes itself is relative to that layer", async () => {
    const content = JSON.stringify(opencode({ command: ["./own"] }));
    const env = { OPENCODE_CONFIG_CONTENT: content };
    const { servers, home, project } = await find("opencode", { [USER]: opencode(local) }, env);
    const cwd = join(home, ".config/opencode/data");
    expect(servers).toMatchObject([{ command: join(project, "own"), cwd }]);
  });

  test.each<[string, { [name: string]: string }]>([
    ["nothing", {}],
    ["a variable with settings", { OPENCODE_CONFIG_CONTENT: CONTENT }],
    ["a named file in another folder", { OPENCODE_CONFIG: "other/oc.json" }],
  ])(
    "[threat T13] a file that an entry refers to stays the same one beneath %s",
    async (_what, { ...env }) => {
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
    },
  );

  test("everything else that looks like a reference is left as it is", async () => {
    const args = ["\\\\$A", "${A:-x}", "$(echo ./file:x)", "{file:./x}"];
    const { servers } = await find("crush", {
      ".config/crush/crush.json": { mcp: { a: { command: "c", args } } },
      "work/crush.json": { mcp: { a: { timeout: 5 } } },
    });
    expect(servers).toMatchObject([{ args }]);
  });

  test("a file that no reference can name is not read, and no other one in its place", async () => {
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

  test("a project's layers each have their own folder, and so has the user's beneath them", async () => {
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

/** A user's server that Codex joins with the layer of a project it trusts. */
async function codex(user: string, project: string) {
  const { home, write, discover } = await homeWith({ "work/.codex/config.toml": project });
  const trust = `[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`;
  await write(".codex/config.toml", `${user}\n${trust}`);
  const found = await discover({ hosts: ["codex"] });
  return { ...found, home, project: join(home, "work"), write, discover };
}

const server = (lines: string) => `[mcp_servers.a]\n${lines}\n`;

test("numbers in env are texts as the layer wrote them that counts", async () => {
  const { servers } = await codex(
    server('command = "x"\nenv = { A = 1.10, B = 1.10, C = 2 }'),
    server("env = { B = 5, C = 2.50, D = 9007199254740993 }"),
  );
  const env = { A: "1.10", B: "5", C: "2.50", D: "9007199254740993" };
  expect(servers).toMatchObject([{ name: "a", env }]);
});

test("layers of Codex come out of a search as they do out of a file and what is beneath it", async () => {
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

describe("what a project may not do, it may not do in the layer that it brings", () => {
  test.each([
    ["cwd", 'command = "u"\ncwd = "/srv/docs"', { cwd: "/srv/docs" }],
    ["cwd in the home", 'command = "u"\ncwd = "~/docs"', { cwd: "~/docs" }],
    ["variable", 'command = "u"\nenv = { NODE_OPTIONS = "--x" }', { env: { NODE_OPTIONS: "--x" } }],
  ])(
    "a %s of the user's own layer stays, and the whole waits for approval",
    async (_what, user, expected) => {
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
    },
  );

  test.each([
    ["cwd", 'cwd = ".."', '"cwd" leads out'],
    ["cwd in the home", 'cwd = "~/x"', '"cwd" leads out'],
    ["the user's own cwd", 'cwd = "/srv/docs"', '"cwd" leads out'],
    ["command", 'command = "../evil"', '"command" leads out'],
    ["variable", 'env = { LD_PRELOAD = "./x.so" }', "LD_PRELOAD"],
    ["variable that the user has too", 'env = { NODE_OPTIONS = "--y" }', "NODE_OPTIONS"],
  ])("[threat T24] its own %s refuses the whole, and only that", async (_what, lines, fault) => {
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
    ["a stronger layer has something to say", CONTENT],
    ["a stronger layer writes the other fields", '{"mcp":{"a":{"environment":{"NODE_OPTIONS":"--x"}}}}'],
  ])("[threat T24] it does not either where %s", async (_what, content) => {
    const files = {
      [USER]: opencode({ type: "local", command: ["u"], cwd: "/srv" }),
      "work/opencode.json": opencode({ cwd: "/etc" }),
    };
    const { problems, servers } = await find("opencode", files, { OPENCODE_CONFIG_CONTENT: content });
    expect(servers).toMatchObject([{ cwd: "/srv", definedIn: { scope: "user" } }]);
    expect(problems[0]?.error.message).toContain('"cwd" leads out');
  });

  test("[threat T24] it does not once its variables are filled in, while the user's own paths may", async () => {
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
    // Equal texts, and yet not what somebody has approved.
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
    "[threat T12] its %s makes a user's server with secrets wait for approval",
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
  ])("[threat T12] its %s makes a user's remote server wait for approval", async (_what, written) => {
    const files = {
      [USER]: opencode({ type: "remote", url: "https://x.example/", headers: { A: "{file:./tok}{env:T}" } }),
      ".config/opencode/tok": "planted",
      "work/opencode.json": opencode(written),
    };
    const { servers, discover } = await find("opencode", files);
    expect(servers).toMatchObject([{ ...written, definedIn: { scope: "project" } }]);
    // Not even once it is approved does it see what the user's part refers to.
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

  test("[threat T24] no field of a file says whose it is", async () => {
    const parts = '{ cwd = { scope = "user", file = "/x" } }';
    const lines = `command = "p"\ncwd = "/srv"\nparts = ${parts}\ndefinedIn = { scope = "user", parts = ${parts} }`;
    const { servers, problems } = await codex("", server(lines));
    expect(servers).toEqual([]);
    expect(problems[0]?.error.message).toContain('"cwd" leads out');
  });
});
