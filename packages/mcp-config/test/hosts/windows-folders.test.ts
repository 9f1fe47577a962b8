import { describe, expect, test } from "vitest";
import { projectFiles } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

describe("Claude Code's record of a project", () => {
  const record = { mcpServers: { mine: { command: "mine" } }, disabledMcpServers: ["shared"] };
  const read = async (projects: object, platform: NodeJS.Platform, cwd: string) => {
    const content = { mcpServers: { shared: { command: "shared" } }, projects };
    const { servers, told } = await parse(content, { file: "/home/.claude.json", platform, cwd });
    return [servers.map(({ name, written }) => `${name}: ${written.enabled}`), told];
  };
  const found = [["mine: true", "shared: false"], ["disabled-by-host: shared"]];

  test.each(["C:/Code/p", "c:/Code/p", "C:\\Code\\p", "c:\\code\\p"])(
    "is found on Windows under %s",
    async (folder) => {
      const other = { mcpServers: { other: { command: "other" } } };
      const projects = { "C:/other": other, [folder]: record };
      expect(await read(projects, "win32", "C:\\Code\\p")).toEqual(found);
    },
  );

  test("is the one with forward slashes in the folder's own case, if several match", async () => {
    const projects = { "C:\\Code\\p": {}, "c:/code/p": {}, "C:/Code/p": record };
    expect(await read(projects, "win32", "C:\\Code\\p")).toEqual(found);
  });

  test("must be spelled like its folder on Linux", async () => {
    expect(await read({ "/code/p": record }, "linux", "/code/p")).toEqual(found);
    const others = { "/Code/p": record, "\\code\\p": record };
    const [names, told] = await read(others, "linux", "/code/p");
    expect([names, told]).toEqual([["shared: true"], ["project-chosen"]]);
  });
});

test("a working directory of Windows stays one on every system", async () => {
  const files = await projectFiles({ platform: "win32", cwd: "C:\\Code\\p", home: "C:\\Users\\me", env: {} });
  expect(files).toContainEqual({
    host: "claude-code",
    kind: "project",
    file: "C:\\Code\\p\\.mcp.json",
    holds: "servers",
  });
});
