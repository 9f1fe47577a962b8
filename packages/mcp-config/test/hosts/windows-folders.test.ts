import { describe, expect, test } from "vitest";
import { CODEX } from "../../src/hosts/codex.ts";
import type { FindingContext, HostDocument } from "../../src/hosts/host-dialect.ts";
import { projectFiles } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const WINDOWS: FindingContext = {
  folders: ["C:\\Code\\p\\a", "C:\\Code\\p"],
  isStandaloneFile: false,
  platform: "win32",
  remark: () => {},
};

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

describe("a folder that Codex trusts", () => {
  const trusts = (projects: { [folder: string]: string }, context: FindingContext) => {
    const levels = Object.entries(projects).map(([folder, level]) => [folder, { trust_level: level }]);
    const content = { projects: Object.fromEntries(levels) };
    const document: HostDocument = { kind: "user", scope: "user", content };
    return CODEX.trustsProject?.([document], context.folders[0] ?? "", context);
  };

  test.each<[string, object, boolean]>([
    ["in lower case", { "c:\\code\\p\\a": "trusted" }, true],
    ["in its own spelling", { "C:\\Code\\p\\a": "trusted" }, true],
    ["through its project", { "c:\\code\\p": "trusted" }, true],
    [
      "unless its own spelling is untrusted",
      { "c:\\code\\p\\a": "trusted", "C:\\Code\\p\\a": "untrusted" },
      false,
    ],
    ["but not through other folders", { "c:\\work": "trusted", "c:\\code\\p\\a\\b": "trusted" }, false],
  ])("is found on Windows %s", (_what, projects, isTrusted) => {
    expect(trusts({ ...projects }, WINDOWS)).toBe(isTrusted);
  });

  test("is case-sensitive on Linux", () => {
    const context: FindingContext = { ...WINDOWS, platform: "linux", folders: ["/Work"] };
    expect([trusts({ "/work": "trusted" }, context), trusts({ "/Work": "trusted" }, context)]).toEqual([
      false,
      true,
    ]);
  });
});

test("a working directory of Windows stays one on every system", () => {
  const files = projectFiles({ platform: "win32", cwd: "C:\\Code\\p", home: "C:\\Users\\me", env: {} });
  expect(files).toContainEqual({
    host: "claude-code",
    kind: "project",
    file: "C:\\Code\\p\\.mcp.json",
    holds: "servers",
  });
});
