import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import type { DefinedIn, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { variablesOf } from "../src/hosts/host-dialects.ts";
import { createServerResolver, HOST_IDS, type ServerResolverOptions } from "../src/index.ts";
import { expandVariables } from "../src/resolve/variables.ts";
import { refused, signal } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const folderWith = useTemporaryFolder();

/** How the host reads each reference in a text. */
function readingOf(text: string, host: string): string[] {
  const found: string[] = [];
  const dialect = variablesOf(host);
  expandVariables(
    text,
    ({ kind, name, defaultText }) => {
      found.push([kind, name, ...(defaultText === undefined ? [] : [defaultText])].join(" "));
      return "";
    },
    dialect,
    true,
  );
  return found;
}

describe("references", () => {
  test.each<[string, string, string[]]>([
    ["claude-code", "${A} ${B:-b} $HOME", ["environment A", "environment B b", "environment HOME"]],
    ["claude-code", "${env:A} {env:A} %A% $1 $", []],
    [
      "claude-plugin",
      "${CLAUDE_PLUGIN_ROOT} ${user_config.key}",
      ["place CLAUDE_PLUGIN_ROOT", "input user_config.key"],
    ],
    ["claude-desktop", "${A} $A", []],
    ["cursor", "${env:A} ${workspaceFolder} ${/}", ["environment A", "place workspaceFolder", "place /"]],
    ["cursor", "${A} ${env:A:-x} $A", ["environment A:-x"]],
    ["vscode", "${input:key} ${env:A} ${userHome}", ["input key", "environment A", "place userHome"]],
    ["codex", "${A} $A", []],
    [
      "gemini",
      "$A ${A} ${A:-x} ${extensionPath}",
      ["environment A", "environment A", "environment A x", "place extensionPath"],
    ],
    ["gemini", "%A%", ["environment A"]],
    ["opencode", "{env:A} {file:~/x} ${A} $A", ["environment A", "file ~/x"]],
    ["jackfield", "${A} $A ${env:A}", ["environment A"]],
  ])("%s reads %j", (host, text, expected) => {
    expect(readingOf(text, host)).toEqual(expected);
  });

  test.each(HOST_IDS)(
    "a megabyte of unclosed references does not make %s throw, and holds no reference",
    (host) => {
      for (const beginning of ["${A:-", "${", "$(", "{env:", "%A", "${env:", "$"]) {
        // For Gemini CLI, the next beginning closes the one before: %A%
        const count = host === "gemini" && beginning === "%A" ? 100_000 : 0;
        expect(readingOf(beginning.repeat(200_000), host)).toHaveLength(count);
      }
    },
  );
});

async function resolveText(text: string, definedIn: Partial<DefinedIn>, options: ServerResolverOptions = {}) {
  const definition: ServerDefinition = {
    name: "s",
    definedIn: { scope: "user", file: "/folder/mcp.json", ...definedIn },
    transport: "http",
    url: "https://host",
    headers: { H: text },
  };
  const resolved = await createServerResolver({
    env: { HOME: "/home/u" },
    isAdmitted: () => true,
    ...options,
  })(definition, {
    signal,
  });
  return resolved.transport === "http" ? { text: resolved.headers.H, secrets: resolved.secrets } : undefined;
}

describe("values", () => {
  test("of places are those of the project or extension, else those of cwd", async () => {
    const places = "${workspaceFolder}|${workspaceFolderBasename}|${userHome}|${/}";
    const user = await resolveText(places, { host: "cursor" }, { cwd: "/projects/here" });
    expect(user?.text).toBe(`/projects/here|here|/home/u|${sep}`);
    const project = await resolveText(places, { host: "cursor", scope: "project", root: "/projects/repo" });
    expect(project?.text).toBe(`/projects/repo|repo|/home/u|${sep}`);
    const plugin = await resolveText("${CLAUDE_PLUGIN_ROOT}", {
      host: "claude-plugin",
      scope: "extension",
      root: "/p",
    });
    expect(plugin?.text).toBe("/p");
  });

  test("of inputs are filled in and count as secrets", async () => {
    const options = { inputs: { key: "answer" } };
    expect(await resolveText("Bearer ${input:key}", { host: "vscode" }, options)).toEqual({
      text: "Bearer answer",
      secrets: expect.arrayContaining(["answer"]),
    });
    const error = await refused(resolveText("${input:key}", { host: "vscode" }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
    expect(error.message).toContain('"key" in "headers.H"');
    expect(error.message).toContain('"inputs"');
  });

  test("of files are trimmed and count as secrets", async () => {
    const folder = await folderWith({ token: "hidden-token\n" });
    const definedIn = { host: "opencode", file: join(folder, "opencode.json") };
    expect(await resolveText("Bearer {file:token}", definedIn)).toEqual({
      text: "Bearer hidden-token",
      secrets: expect.arrayContaining(["hidden-token"]),
    });
    const env = { HOME: folder };
    expect((await resolveText("{file:~/token}", definedIn, { env }))?.text).toBe("hidden-token");
    expect((await refused(resolveText("{file:nowhere}", definedIn))).message).toContain("Create the file");
  });

  test("[threat T13] of files are not read for a project's entry, even inside the project", async () => {
    const folder = await folderWith({ secret: "planted", "inside.txt": "inside" });
    const root = join(folder, "project");
    await mkdir(root);
    await symlink(join(folder, "secret"), join(root, "link"));
    await writeFile(join(root, "inside.txt"), "inside");
    const definedIn = {
      host: "opencode",
      scope: "project",
      root,
      file: join(root, "opencode.json"),
    } as const;
    for (const path of ["../secret", join(folder, "secret"), "link", "inside.txt"]) {
      expect((await refused(resolveText(`{file:${path}}`, definedIn))).code).toBe(
        "MCP_CONFIG_VARIABLE_MISSING",
      );
    }
    const own = { ...definedIn, scope: "user", root: folder, file: join(folder, "opencode.json") } as const;
    expect((await resolveText("{file:inside.txt}", own))?.text).toBe("inside");
  });

  test("that are unset follow the host's own rule only with the missingVariable option", async () => {
    const unset = (host: string, text: string) => resolveText(text, { host }, { missingVariable: "host" });
    expect((await unset("cline", "<${env:NOPE}>"))?.text).toBe("<${env:NOPE}>");
    expect((await unset("gemini", "<$NOPE>"))?.text).toBe("<>");
    expect((await unset("vscode", "<${env:NOPE}>"))?.text).toBe("<>");
    await refused(unset("claude-code", "<${NOPE}>"));
    await refused(resolveText("<$NOPE>", { host: "gemini" }));
    expect((await resolveText("<$NOPE>", { host: "claude-code" }))?.text).toBe("<$NOPE>");
  });

  test("of Windows-style references are filled in only on Windows", async () => {
    const env = { HOME: "/home/u", A: "1" };
    const expected = process.platform === "win32" ? "1" : "%A%";
    expect((await resolveText("%A%", { host: "gemini" }, { env }))?.text).toBe(expected);
  });
});

test("a path below the home folder is filled in for the user and refused in a project's entry", async () => {
  const definition = (scope: "user" | "project"): ServerDefinition => ({
    name: "s",
    definedIn: { scope, file: "/folder/mcp.json", root: "/folder" },
    transport: "stdio",
    command: "~/bin/server",
    cwd: "~/work",
  });
  const resolve = createServerResolver({ env: { HOME: "/home/u" }, isAdmitted: () => true });
  expect(await resolve(definition("user"), { signal })).toMatchObject({
    command: "/home/u/bin/server",
    cwd: "/home/u/work",
  });
  expect((await refused(resolve(definition("project"), { signal }))).message).toContain('"cwd" leads out');
});
