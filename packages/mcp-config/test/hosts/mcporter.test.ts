import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const signal = new AbortController().signal;
const read = (entry: object) =>
  parse({ mcpServers: { s: entry } }, { host: "mcporter", file: "/folder/own.json" });
const resolveWith = async (entry: object, env: { [name: string]: string }) => {
  const { servers } = await read(entry);
  return createServerResolver({ env })(servers[0]?.definition as never, { signal });
};

describe("the command of an mcporter entry", () => {
  test.each<[string, string, readonly string[]]>([
    ["npx -y pkg@latest", "npx", ["-y", "pkg@latest"]],
    ["  x   a ", "x", ["a"]],
    [`"/my tools/x" 'a "b" c' "d 'e'" f"g h"i`, "/my tools/x", ['a "b" c', "d 'e'", "fg hi"]],
    ["x a\\ b \\\"c '\\'d'", "x", ["a b", '"c', "'d"]],
    ["x a\\", "x", ["a\\"]],
  ])("is split into words if there are no args: %j", async (line, command, args) => {
    for (const entry of [{ command: line }, { executable: line }, { command: line, args: [] }]) {
      const { servers, told } = await read(entry);
      expect(servers[0]?.written).toMatchObject({ command, args });
      expect(told).toEqual([]);
    }
  });

  test("is not split at a tab, which is told", async () => {
    const { servers, told } = await read({ command: "x\ty" });
    expect([servers[0]?.written.command, told]).toEqual(["x\ty", ["command-has-spaces: s"]]);
  });

  test("is not split if there are args or it is a single word", async () => {
    expect((await read({ command: "my tool", args: ["a"] })).servers[0]?.written).toMatchObject({
      command: "my tool",
      args: ["a"],
    });
    const { servers } = await read({ executable: "x" });
    expect(servers[0]?.written).toMatchObject({ command: "x" });
    expect(servers[0]?.written.args).toBeUndefined();
    const path = "C:\\tools\\x.exe";
    expect((await read({ command: path })).servers[0]?.written).toMatchObject({ command: path });
  });

  test("as a list holds all arguments, and args beside it are reported", async () => {
    const { servers, diagnostics } = await read({ command: ["npx", "-y", "p"], args: ["more"] });
    expect(servers[0]?.written).toMatchObject({ command: "npx", args: ["-y", "p"] });
    expect(diagnostics).toMatchObject([{ code: "unused-field", pointer: "/mcpServers/s/args" }]);
    expect((await read({ command: ["npx"] })).told).toEqual([]);
  });

  test("runs in the folder of its file, and its paths are relative to that", async () => {
    const { home, project, discover } = await homeWith({
      "work/config/mcporter.json": {
        mcpServers: {
          a: { command: "x" },
          b: { command: "./bin/x", cwd: "sub" },
          c: { command: "x", cwd: ".." },
        },
      },
      ".mcporter/mcporter.json": { mcpServers: { u: { command: "x" }, r: { url: "https://h" } } },
    });
    const { servers, problems } = await discover({ hosts: ["mcporter"] });
    expect(problems).toEqual([]);
    const found = Object.fromEntries(servers.map((server) => [server.name, server]));
    const folder = join(project, "config");
    expect(found.a).toMatchObject({ cwd: folder, definedIn: { root: project } });
    expect(found.b).toMatchObject({ command: join(folder, "bin", "x"), cwd: join(folder, "sub") });
    expect(found.c).toMatchObject({ cwd: project });
    expect(found.u).toMatchObject({ cwd: join(home, ".mcporter") });
    expect(found.r).not.toHaveProperty("cwd");
  });
});

describe("a relative path in an mcporter file", () => {
  const inProject = async (entries: object) => {
    const { project, discover, write } = await homeWith({
      "work/config/mcporter.json": { mcpServers: entries },
    });
    const resolveAll = async () => {
      const { servers, problems } = await discover({ hosts: ["mcporter"] });
      expect(problems).toEqual([]);
      const resolver = createServerResolver({ env: {}, isAdmitted: () => true });
      const found = await Promise.all(servers.map((server) => resolver(server, { signal })));
      return Object.fromEntries(found.map((server) => [server.name, server]));
    };
    return { project, discover, write, resolveAll };
  };

  test("resolves against the file's folder even if it begins with a variable", async () => {
    const { project, resolveAll } = await inProject({
      a: { command: "${BIN:-bin}/x", args: ["a"], cwd: "${SUB:-sub}/x" },
      up: { command: "${UP:-..}/x", args: ["a"], cwd: "${UP:-..}" },
      plain: { command: "../x", args: ["a"], cwd: ".." },
    });
    const { a, up, plain } = await resolveAll();
    const folder = join(project, "config");
    expect(a).toMatchObject({ command: join(folder, "bin/x"), cwd: join(folder, "sub/x") });
    for (const found of [up, plain]) {
      expect(found).toMatchObject({ command: join(project, "x"), cwd: project });
    }
  });

  test.each([
    { command: "../../x", args: ["a"] },
    { command: "${UP:-../..}/x", args: ["a"] },
    { command: "x", cwd: "${UP:-../..}" },
  ])("[threat T24] is refused if it leads out of the project: %j", async (entry) => {
    const { discover } = await inProject({ s: entry });
    const { servers, problems } = await discover({ hosts: ["mcporter"] });
    const resolver = createServerResolver({ env: {}, isAdmitted: () => true });
    const error =
      problems[0]?.error ?? (await resolver(servers[0] as never, { signal }).catch((reason) => reason));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", server: "s" });
    expect(error.message).toContain("leads out of the project's directory");
  });

  test("resolves against the folder of a linked file, not of its target", async () => {
    const { project, write, resolveAll } = await inProject({});
    await write("work/shared/mcporter.json", { mcpServers: { s: { command: "x" } } });
    const file = join(project, "config/mcporter.json");
    await rm(file);
    await symlink(join(project, "shared/mcporter.json"), file);
    expect((await resolveAll()).s).toMatchObject({ cwd: join(project, "config") });
  });
});

describe("an mcporter bearer token", () => {
  test.each(["bearerToken", "bearer_token"])("replaces an Authorization header: %s", async (field) => {
    const entry = { baseUrl: "https://h", headers: { authorization: "${TOK}2", X: "x" }, [field]: "${TOK}" };
    const { headers } = (await resolveWith(entry, { TOK: "planted" })) as { headers?: object };
    expect(headers).toEqual({ X: "x", Authorization: "Bearer planted" });
    expect((await read(entry)).told).toEqual([]);
  });

  test("gives way to bearerTokenEnv and is not sent if empty", async () => {
    const entry = { url: "https://h", bearerToken: "literal", bearerTokenEnv: "TOK" };
    expect(await resolveWith(entry, { TOK: "t" })).toMatchObject({ headers: { Authorization: "Bearer t" } });
    const empty = await resolveWith({ url: "https://h", bearerToken: "" }, {});
    expect(empty).not.toHaveProperty("headers.Authorization");
  });

  test("is reported as a literal secret", async () => {
    const { told, servers } = await read({ url: "https://h", bearer_token: "planted" });
    expect(told).toEqual(["literal-secret: s"]);
    expect(servers[0]?.written.headers).toBeUndefined();
  });
});

test.each(["oauthClientSecretEnv", "oauth_client_secret_env"])(
  "an mcporter client secret from a variable wins over oauthClientSecret: %s",
  async (field) => {
    const entry = { url: "https://h", auth: "oauth", oauthClientId: "c", [field]: "SEC" };
    const { servers, told } = await read(entry);
    expect(servers[0]?.definition).toMatchObject({
      oauth: { enabled: true, clientId: "c", clientSecret: "${SEC}" },
    });
    expect(told).toEqual([]);
    const both = await read({ ...entry, oauthClientSecret: "${OTHER}" });
    expect(both.servers[0]?.definition).toMatchObject({ oauth: { clientSecret: "${SEC}" } });
  },
);
