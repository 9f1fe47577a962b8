import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { useTemporaryHome } from "./fixture.ts";

const SCRIPT = fileURLToPath(new URL("./fixtures/command-modules.mjs", import.meta.url));
/** Built-in modules that take longer to load than a short command takes to run. */
const SLOW =
  /^NativeModule (?:crypto|child_process|http|https|net|internal\/(?:fs\/promises|webstreams|crypto)\b)/;

const home = useTemporaryHome();

/** Runs a command, and says which packages it has loaded, and which slow modules of Node.js. */
async function loadedBy(...argv: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...argv], { cwd: home.path });
  const { exitCode, written, modules, builtin } = JSON.parse(stdout) as {
    exitCode: number;
    written: string;
    modules: string[];
    builtin: string[];
  };
  const packages = modules.flatMap((url) => packageOf(url) ?? []);
  return {
    exitCode,
    written,
    packages: [...new Set(packages)].toSorted(),
    slow: builtin.filter((name) => SLOW.test(name)),
  };
}

/** The package of a module, unless it is this one, or of Node.js. */
function packageOf(url: string): string | undefined {
  const [, workspace] = /\/packages\/([^/]+)\/dist\//.exec(url) ?? [];
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  const name = installed ?? workspace;
  return name === "jackfield" ? undefined : name;
}

describe("module loading", () => {
  it.each(["--version", "--help", "help"])("%s loads only mcp-core", async (word) => {
    expect(await loadedBy(word)).toMatchObject({ exitCode: 0, packages: ["mcp-core"], slow: [] });
  });

  it("a mistyped command is refused before anything else is loaded", async () => {
    const { exitCode, written, packages } = await loadedBy("stauts");
    expect([exitCode, packages]).toEqual([64, ["mcp-core"]]);
    expect(written).toContain('There is no command "stauts"');
  });

  it("config list loads string-width only for names that are not ASCII", async () => {
    const write = (name: string) =>
      writeFile(home.file(".mcp.json"), JSON.stringify({ mcpServers: { [name]: { command: "one" } } }));
    const list = (...words: string[]) => loadedBy("config", "list", "--cwd", home.path, ...words);
    // It shows lines, which the first parser knows.
    const expected = { exitCode: 0, packages: ["jsonc-parser", "mcp-config", "mcp-core"], slow: [] };
    await write("one");
    const listed = await list("--json");
    expect(listed).toMatchObject(expected);
    expect(JSON.parse(listed.written).definitions).toMatchObject([{ name: "one", approved: false }]);
    const { exitCode, packages } = await list();
    expect([exitCode, packages]).toEqual([0, expected.packages]);
    await write("文件");
    expect(await list("--json")).toMatchObject(expected);
    const wide = await list();
    expect(wide.packages).toContain("string-width");
    expect(wide.written).toMatch(/^文件 {4}stdio/m);
  });

  it("cache path loads the catalog and no runtime", async () => {
    const { exitCode, packages } = await loadedBy("cache", "path");
    expect(exitCode).toBe(0);
    expect(packages).toEqual(["mcp-core", "mcp-tool-cache", "mcp-tools"]);
  });

  it("tools loads the runtime and nothing that only other commands need", async () => {
    const { exitCode, packages } = await loadedBy("tools", "--json", "--no-discover");
    expect(exitCode).toBe(0);
    expect(packages).toContain("mcp-manager");
    for (const name of ["mcp-auth", "string-width", "@clack/prompts"]) expect(packages).not.toContain(name);
  });
});
