import { execFileSync } from "node:child_process";
import { mkdir, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DefinitionScope, ResolvedStdioServer, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createServerResolver, loadServers } from "../src/index.ts";
import { refused, resolveHttp, resolveStdio, signal, type Written } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const folderWith = useTemporaryFolder();

/** The location of an entry in this folder. */
const inFolder = (folder: string, scope: DefinitionScope = "explicit") =>
  ({ scope, file: join(folder, "mcp.json"), line: 4, column: 5 }) as const;

async function environmentWith(text: string | Uint8Array, written: Written<"stdio"> = {}) {
  const folder = await folderWith({ ".env": text });
  return (await resolveStdio({ ...written, envFile: join(folder, ".env") })).env;
}

async function refusedWith(text: string | Uint8Array, scope?: DefinitionScope) {
  const folder = await folderWith({ ".env": text });
  const envFile = join(folder, ".env");
  return { envFile, error: await refused(resolveStdio({ envFile, definedIn: inFolder(folder, scope) })) };
}

describe("envFile", () => {
  test("is relative to the file of its entry, and to cwd for an entry in code", async () => {
    const entry = { command: "x", envFile: "sub/.env" };
    const folder = await folderWith({ "mcp.json": { mcpServers: { s: entry } } });
    const options = { files: [join(folder, "mcp.json")], servers: { t: entry }, cwd: "/elsewhere" };
    const { servers, problems, diagnostics } = await loadServers(options);
    expect([problems, diagnostics]).toEqual([[], []]);
    expect(servers.map((server) => "envFile" in server && server.envFile)).toEqual([
      "/elsewhere/sub/.env",
      join(folder, "sub/.env"),
    ]);
  });

  test("overrides inherited variables and yields to the entry's own env", async () => {
    const folder = await folderWith({ ".env": "A=file\nB=file\nHOME=/file\nPATH=/file/bin" });
    const written = { envFile: join(folder, ".env"), env: { B: "own", PATH: "${PATH}:/own/bin" } };
    const server = await resolveStdio(written, { env: { HOME: "/h", TERM: "dumb", A: "parent" } });
    expect(server.env).toEqual({
      A: "file",
      B: "own",
      HOME: "/file",
      PATH: "/file/bin:/own/bin",
      TERM: "dumb",
    });
    expect(server.inherited).toEqual(["TERM"]);
  });

  test("fills in the entry's other fields, including those of a remote server", async () => {
    const folder = await folderWith({ ".env": "HOST=host\nAPI_TOKEN=tok-1" });
    const envFile = join(folder, ".env");
    const local = await resolveStdio({ envFile, args: ["${API_TOKEN}"] }, { env: { API_TOKEN: "ambient" } });
    expect(local.args).toEqual(["tok-1"]);
    const headers = { Authorization: "Bearer ${API_TOKEN}" };
    const remote = await resolveHttp({ envFile, url: "https://${HOST}/mcp", headers });
    expect(remote).toMatchObject({ url: "https://host/mcp", headers: { Authorization: "Bearer tok-1" } });
  });

  test("may have a variable from the environment in its path", async () => {
    const folder = await folderWith({ "ci.env": "A=1" });
    const written = { envFile: "${STAGE}.env", definedIn: inFolder(folder) };
    expect((await resolveStdio(written, { env: { STAGE: "ci" } })).env).toEqual({ A: "1" });
    const error = await refused(resolveStdio({ ...written, env: { STAGE: "ci" } }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
    expect(error.message).toContain('"STAGE" in "envFile"');
  });

  test("is read again for each attempt", async () => {
    const folder = await folderWith({ ".env": "TOKEN=old" });
    const definition: ServerDefinition = {
      ...{ name: "s", transport: "stdio", command: "x" },
      ...{ definedIn: inFolder(folder), envFile: join(folder, ".env") },
    };
    const resolver = createServerResolver({ env: {} });
    const attempt = async () => ((await resolver(definition, { signal })) as ResolvedStdioServer).env;
    expect(await attempt()).toEqual({ TOKEN: "old" });
    await writeFile(join(folder, ".env"), "TOKEN=new");
    expect(await attempt()).toEqual({ TOKEN: "new" });
    await unlink(join(folder, ".env"));
    expect(await refused(attempt())).toMatchObject({ code: "MCP_CONFIG_NOT_FOUND" });
  });

  test.each([
    ["an empty file", "", {}],
    ["comments and blank lines", "# A=0\n\nA=1 # one\n", { A: "1" }],
    ["Windows line ends and a byte order mark", "\ufeffA=1\r\nB=2\r\n", { A: "1", B: "2" }],
    ["quotes", 'A="a # b"\nB=\'c\'\nC="x\ny"', { A: "a # b", B: "c", C: "x\ny" }],
    ["export", "export A=1", { A: "1" }],
    ["a name written twice", "A=1\nA=2", { A: "2" }],
    ["references, unchanged", "A=${B}\nB=$C", { A: "${B}", B: "$C" }],
    ["no variable __proto__", "__proto__=x\nA=1", { A: "1" }],
  ])("holds %s", async (_what, text, expected) => {
    expect(await environmentWith(text)).toEqual(expected);
  });

  test("adds its credentials and URL passwords to the secrets, as env does", async () => {
    const text = "API_KEY=key-1\nDB=postgres://u:pass-1@db/x\nLEVEL=debug\nOLD_TOKEN=shadowed-1";
    const folder = await folderWith({ ".env": text });
    const envFile = join(folder, ".env");
    const { secrets } = await resolveStdio({ envFile, env: { OLD_TOKEN: "own-1" } });
    expect(new Set(secrets)).toEqual(new Set(["key-1", "u:pass-1", "pass-1", "own-1"]));
  });
});

describe("an unusable envFile fails its server", () => {
  test.each<[string, (file: string) => Promise<unknown> | unknown, string]>([
    ["is missing", () => {}, "it does not exist"],
    ["is a directory", (file) => mkdir(file), "it is not a regular file"],
    ["is a pipe", (file) => execFileSync("mkfifo", [file]), "it is not a regular file"],
    ["is an endless device", (file) => symlink("/dev/zero", file), "it is not a regular file"],
  ])("because it %s, and the error says what to do", async (_what, make, reason) => {
    const folder = await folderWith();
    const envFile = join(folder, ".env");
    await make(envFile);
    const definedIn = inFolder(folder);
    const error = await refused(resolveStdio({ envFile, definedIn }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_NOT_FOUND", server: "s", phase: "resolve" });
    expect(error.location).toEqual({ file: definedIn.file, line: 4, column: 5, pointer: undefined });
    expect(error.message).toContain(
      `"${envFile}" cannot be read: ${reason}. Create it, or correct or remove "envFile"`,
    );
    expect(await resolveStdio({ definedIn })).toMatchObject({ name: "s" });
  });

  test("without showing a default in its path", async () => {
    const folder = await folderWith({ "broken.env": "A=1\0" });
    for (const name of ["missing", "broken"]) {
      const written = { envFile: `\${STAGE:-${name}}.env`, definedIn: inFolder(folder) };
      const error = await refused(resolveStdio(written));
      expect(JSON.stringify([error.message, error.location])).not.toContain(name);
    }
  });

  test("because it is larger than 1 MiB", async () => {
    const { error } = await refusedWith(`A=${"x".repeat(1024 * 1024)}`);
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(error.message).toContain("is larger than 1048576 bytes");
  });

  test("because it is not text", async () => {
    const { error } = await refusedWith(new Uint8Array([0x41, 0x3d, 0xff]));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(error.message).toContain("is not valid UTF-8 text");
  });

  test("because a value has a NUL character, without showing the value", async () => {
    const { envFile, error } = await refusedWith("A=1\nB=sec\0ret");
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", location: { file: envFile, line: 2 } });
    expect(error.message).toContain('"B" has a NUL character');
    expect(JSON.stringify(error)).not.toContain('ret"');
  });

  test("because the attempt is aborted while it is read", async () => {
    const folder = await folderWith({ ".env": "A=1" });
    const controller = new AbortController();
    const definition = { name: "s", definedIn: inFolder(folder), transport: "stdio", command: "x" } as const;
    const resolver = createServerResolver({ env: {} });
    const attempt = resolver({ ...definition, envFile: join(folder, ".env") }, { signal: controller.signal });
    controller.abort();
    expect(await refused(attempt)).toMatchObject({ code: "MCP_ABORTED", server: "s" });
  });
});

describe("the envFile of a project's entry", () => {
  test.each([
    "NODE_OPTIONS=--require ./x.js",
    "export NODE_OPTIONS = --require ./x.js",
    "NODE_OPTIONS=a\nNODE_OPTIONS=b",
    "HOME=/project/home",
    "https_proxy=http://127.0.0.1:1",
  ])("[threat T16] may not set %j; the error names the variable, file and line", async (line) => {
    const { envFile, error } = await refusedWith(`# NODE_OPTIONS=commented\nA=1\n${line}\n`, "project");
    const lineNumber = 2 + line.split("\n").length;
    expect(error).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      location: { file: envFile, line: lineNumber },
    });
    expect(error.message).toContain(
      `(${envFile}:${lineNumber}): "${/\w+(?= ?=)/.exec(line)?.[0]}" makes programs load or run`,
    );
    expect(error.message).toContain("Remove it from the entry");
  });

  test.each(["explicit", "user"] as const)(
    "[threat T16] may set NODE_OPTIONS if the scope is %s instead",
    async (scope) => {
      const folder = await folderWith({ ".env": "NODE_OPTIONS=--no-warnings" });
      const written = { envFile: join(folder, ".env"), definedIn: inFolder(folder, scope) };
      expect((await resolveStdio(written)).env).toEqual({ NODE_OPTIONS: "--no-warnings" });
    },
  );

  test("[threat T24] is not read through a link that leads out of the project", async () => {
    const outside = await folderWith({ ".env": "AWS_SECRET=theirs" });
    const folder = await folderWith();
    await symlink(join(outside, ".env"), join(folder, ".env"));
    const written = { envFile: join(folder, ".env"), definedIn: inFolder(folder, "project") };
    const error = await refused(resolveStdio(written));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "resolve" });
    expect(error.message).toContain('"envFile" leads out of the project\'s directory');
  });

  test("[threat T24] is read if the project itself is reached through a link", async () => {
    const real = await folderWith({ ".env": "A=1" });
    const folder = await folderWith();
    await symlink(real, join(folder, "project"));
    const project = join(folder, "project");
    const written = { envFile: join(project, ".env"), definedIn: inFolder(project, "project") };
    expect((await resolveStdio(written)).env).toMatchObject({ A: "1" });
  });

  test("[threat T24] is reported as missing, not as outside the project", async () => {
    const folder = await folderWith();
    const written = { envFile: join(folder, ".env"), definedIn: inFolder(folder, "project") };
    expect(await refused(resolveStdio(written))).toMatchObject({ code: "MCP_CONFIG_NOT_FOUND" });
  });
});
