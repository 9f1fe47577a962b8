import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseHostFile } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();

describe("Crush", () => {
  const script = "#!/bin/sh\ntouch ran\n";

  test("reports a crushrc script and neither reads nor runs it", async () => {
    const { discover, home, project } = await homeWith({
      "work/crushrc": script,
      ".config/crush/crushrc": script,
      "work/crush.json": { mcp: { s: { type: "stdio", command: "x" } } },
    });
    const files = [join(project, "crushrc"), join(home, ".config/crush/crushrc")];
    // Opening one would fail.
    for (const file of files) await chmod(file, 0o000);
    const { servers, problems, diagnostics } = await discover({ hosts: ["crush"] });
    expect(servers.map(({ name }) => name)).toEqual(["s"]);
    expect(problems).toEqual([]);
    expect(diagnostics.map(({ code, file, severity }) => [code, file, severity])).toEqual(
      files.map((file) => ["script-file", file, "warning"]),
    );
    const parsed = await parseHostFile({ host: "crush", file: files[0] as string });
    expect(parsed).toMatchObject({ servers: [], diagnostics: [{ code: "script-file", severity: "error" }] });
    expect(existsSync("ran")).toBe(false);
  });

  test("prefers the nearest folder and reads the user's file last", async () => {
    const layer = (command: string) => ({ mcp: { s: { type: "stdio", command }, [command]: { command } } });
    const { discover, project } = await homeWith({
      "work/deep/.crush.json": layer("nearest"),
      "work/crush.json": layer("top"),
      ".config/crush/crush.json": layer("user"),
    });
    const { servers } = await discover({ hosts: ["crush"], cwd: join(project, "deep") });
    expect(servers.map((server) => "command" in server && server.command)).toEqual([
      "nearest",
      "nearest",
      "top",
      "user",
    ]);
  });
});

describe("oh-my-pi", () => {
  const servers = (entries: object, more: object = {}) => ({ mcpServers: entries, ...more });

  test("lets a user's list enable servers and a project's list only disable them", async () => {
    const { discover } = await homeWith({
      "work/.omp/mcp.json": servers(
        { a: { command: "a" }, b: { command: "b" }, c: { command: "c", enabled: false } },
        { disabledServers: ["a"], enabledServers: ["c", "d"] },
      ),
      ".omp/agent/mcp.json": servers(
        { d: { command: "d", enabled: false }, e: { command: "e", enabled: false } },
        {
          enabledServers: ["a", "e"],
        },
      ),
    });
    const { servers: found } = await discover({ hosts: ["omp"] });
    expect(found.map(({ name, enabled = true, disabledBy }) => [name, enabled, disabledBy])).toEqual([
      ["a", false, "disabledServers"],
      ["b", true, undefined],
      ["c", false, undefined],
      ["d", false, undefined],
      ["e", true, undefined],
    ]);
  });

  test("reads only the chosen profile's user files", async () => {
    const { discover } = await homeWith({
      ".omp/agent/mcp.json": servers({ general: { command: "x" } }),
      ".omp/profiles/work/agent/mcp.json": servers({ special: { command: "x" } }),
    });
    const namesWith = async (env: object) =>
      (await discover({ hosts: ["omp"], env: { ...env } })).servers.map(({ name }) => name);
    expect(await namesWith({})).toEqual(["general"]);
    expect(await namesWith({ OMP_PROFILE: "work" })).toEqual(["special"]);
  });
});

describe("Continue", () => {
  test("reads all project and user blocks, the project's first", async () => {
    const { discover } = await homeWith({
      "work/.continue/mcpServers/b.yaml": "name: B\nmcpServers:\n  - name: s\n    command: project\n",
      "work/.continue/mcpServers/a.json": { mcpServers: { a: { command: "a" } } },
      ".continue/mcpServers/u.json": { mcpServers: { s: { command: "block" }, u: { command: "u" } } },
      ".continue/config.yaml":
        "mcpServers:\n  - name: s\n    command: user\n  - name: main\n    command: m\n",
    });
    const { servers } = await discover({ hosts: ["continue"] });
    expect(servers.map(({ name, definedIn }) => [name, definedIn.scope])).toEqual([
      ["a", "project"],
      ["s", "project"],
      ["main", "user"],
      ["u", "user"],
    ]);
  });
});
