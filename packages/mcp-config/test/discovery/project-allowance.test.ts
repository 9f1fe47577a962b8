import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();

function entries(count: number, prefix = "s"): { [name: string]: object } {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${index}`, { command: `${prefix}${index}` }]),
  );
}

const file = (count: number, prefix?: string) => ({ mcpServers: entries(count, prefix) });

describe("what one project may bring", () => {
  test("of more than 200 entries of all its hosts, the first 200 are used and one problem says so", async () => {
    const { discover, project } = await homeWith({
      "work/.mcp.json": file(150, "a"),
      "work/.cursor/mcp.json": file(150, "b"),
      "work/.gemini/settings.json": file(150, "c"),
    });
    const found = await discover({ hosts: ["claude-code", "cursor", "gemini"] });
    const names = found.servers.map(({ name }) => name);
    expect(names).toHaveLength(200);
    expect(names.filter((name) => name.startsWith("a"))).toHaveLength(150);
    expect(names).toContain("b49");
    expect(names).not.toContain("b50");
    expect(found.problems).toHaveLength(1);
    expect(found.problems[0]).toMatchObject({
      kind: "ConfigTooLargeError",
      definedIn: { scope: "project", file: join(project, ".cursor/mcp.json") },
    });
    expect(found.problems[0]?.error.message).toContain(
      "250 of its servers are left out. Read the files of fewer hosts",
    );
    const again = await discover({ hosts: ["claude-code", "cursor", "gemini"] });
    expect(again.servers.map(({ name }) => name)).toEqual(names);
    const other = await discover({ hosts: ["gemini", "cursor"] });
    expect(other.servers.filter(({ name }) => name.startsWith("c"))).toHaveLength(150);
  });

  test("exactly 200 entries are no problem, and a file that several hosts read counts once", async () => {
    const { discover } = await homeWith({ "work/.mcp.json": file(200) });
    const found = await discover({ hosts: "all" });
    expect(new Set(found.servers.map(({ name }) => name)).size).toBe(200);
    expect(found.problems).toEqual([]);
  });

  test("entries of a folder above count together with those of the folder below", async () => {
    const { discover, project } = await homeWith({
      "work/.mcp.json": file(150, "far"),
      "work/a/b/.mcp.json": file(150, "near"),
    });
    const found = await discover({ cwd: join(project, "a/b"), hosts: ["claude-code"] });
    expect(found.servers.filter(({ name }) => name.startsWith("near"))).toHaveLength(150);
    expect(found.servers.filter(({ name }) => name.startsWith("far"))).toHaveLength(50);
  });

  test("the user's own files and those that the caller names are not bound", async () => {
    const { discover, home } = await homeWith({
      ".cursor/mcp.json": file(300, "own"),
      "named.json": file(300, "named"),
      "work/.cursor/mcp.json": file(200, "project"),
    });
    const found = await discover({ hosts: ["cursor"], files: [join(home, "named.json")] });
    expect(found.servers).toHaveLength(800);
    expect(found.problems).toEqual([]);
  });

  test("a file beyond 2 MiB is left out, and smaller ones after it are read", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": JSON.stringify({
        mcpServers: { big: { command: "x", args: ["y".repeat(2 ** 21)] } },
      }),
      "work/.cursor/mcp.json": {
        mcpServers: { almost: { command: "x", args: ["y".repeat(2 ** 21 - 4_000)] } },
      },
      "work/.gemini/settings.json": { mcpServers: { small: { command: "x", args: ["y".repeat(5_000)] } } },
      "work/.vscode/mcp.json": { servers: { tiny: { command: "x" } } },
    });
    const found = await discover({ hosts: ["claude-code", "cursor", "gemini", "vscode"] });
    expect(found.servers.map(({ name }) => name).sort()).toEqual(["almost", "tiny"]);
    expect(found.problems.map(({ error }) => error.message)).toEqual([
      expect.stringContaining("2 files or folders of it are left out"),
    ]);
  });

  test("a file of 2 MiB with a hundred thousand entries is left out before it is parsed", async () => {
    const { discover } = await homeWith({
      // Parsed, it would be a fault of its own: it is not closed.
      "work/.mcp.json": `{"mcpServers":{${Object.keys(entries(100_000))
        .map((name) => `"${name}":{}`)
        .join(",")}`,
      "work/.cursor/mcp.json": file(1),
    });
    const found = await discover({ hosts: "all" });
    expect(found.servers.map(({ name }) => name)).toEqual(["s0"]);
    expect(found.problems.map(({ error }) => error.message)).toEqual([
      expect.stringContaining("1 file or folder of it are left out"),
    ]);
  });

  test("a folder of a project with too many files is left out, unlisted", async () => {
    const { discover, project } = await homeWith({ "work/.continue/mcpServers/a.yaml": "mcpServers: []" });
    const folder = join(project, ".continue/mcpServers");
    for (let index = 0; index < 2_100; index += 1) await symlink("a.yaml", join(folder, `${index}.yaml`));
    const { problems } = await discover({ hosts: ["continue"] });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.error.message).toContain("1 file or folder of it are left out");
  });

  test("a project of 100,000 entries in 50 MB is refused before it is parsed", async () => {
    const { discover, project } = await homeWith({ ".cursor/mcp.json": file(1, "own") });
    const hosts = [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json", ".vscode/mcp.json"];
    const text = JSON.stringify({
      mcpServers: Object.fromEntries(
        Object.entries(entries(25_000)).map(([name]) => [name, { command: "x".repeat(480) }]),
      ),
    });
    for (const path of hosts) {
      await mkdir(join(project, path, ".."), { recursive: true });
      await writeFile(join(project, path), text);
    }
    // A sparse file of a terabyte cannot have been read.
    await writeFile(join(project, "opencode.json"), "");
    await truncate(join(project, "opencode.json"), 2 ** 40);
    const found = await discover({ hosts: "all" });
    expect(found.servers.map(({ name }) => name)).toEqual(["own0"]);
    expect(found.problems.map(({ error }) => error.message)).toEqual([
      expect.stringContaining("5 files or folders of it are left out"),
    ]);
  });

  test("other work gets its turn while a project's many files are read", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `work/.continue/mcpServers/${index}.yaml`,
        `mcpServers:\n${"  - name: x\n    command: y\n".repeat(20)}`,
      ]),
    );
    const { discover } = await homeWith(files);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await discover({ hosts: ["continue"] });
    isDone = true;
    // It takes hundreds of milliseconds, and gives way every few of them.
    expect(turns).toBeGreaterThan(10);
  });

  test("the approval requests of all its entries stay bounded", async () => {
    const wide = "\u{e0041}".repeat(2_000);
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`s${index}`, { command: "x", env: { A: wide } }]),
    );
    const { discover } = await homeWith({ "work/.mcp.json": { mcpServers: many } });
    const { servers } = await discover({ hosts: ["claude-code"] });
    const length = servers.reduce((sum, server) => sum + approvalRequest(server).text.length, 0);
    expect(servers).toHaveLength(200);
    expect(length).toBeLessThan(10 * 2 ** 20);
  });
});
