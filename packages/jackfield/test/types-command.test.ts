import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ToolDefinition } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { commandLine, useTemporaryHome } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

useLeakCheck();

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const COMPILER = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

const READ: ToolDefinition = {
  name: "read",
  description: "Reads a file. */ export const injected = 1; /*",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, lines: { type: "integer", description: "How many." } },
    required: ["path"],
  },
  outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const PING: ToolDefinition = { name: "ping", inputSchema: { type: "object" } };

const folder = useTemporaryHome();

/** Runs a command with a server called `files` that has these tools, and writes down when it is started. */
function run(command: string, tools: readonly ToolDefinition[], ...argv: string[]) {
  const { entry } = hostileServer(folder, "files", { tools });
  const note = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(folder.file("starts"))}, "started\\n");`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(note)}`, ...entry.args];
  const server = `files=${JSON.stringify({ ...entry, args })}`;
  const places = ["--cwd", folder.path, "--cache", folder.file("cache")];
  return commandLine(command, "--mcp-server", server, ...places, ...argv);
}

/** Compiles a program beside the declarations, as a user would. Resolves with what the compiler says. */
async function compile(program: string): Promise<string> {
  mkdirSync(folder.file("node_modules"), { recursive: true });
  symlinkSync(PACKAGE, folder.file("node_modules/jackfield"));
  writeFileSync(folder.file("program.ts"), program);
  writeFileSync(folder.file("package.json"), '{ "type": "module" }');
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  const files = ["program.ts", "mcp-tools.d.ts"];
  const compiler = promisify(execFile)(process.execPath, [COMPILER, ...options, ...files], {
    cwd: folder.path,
  });
  return compiler.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe("jackfield types", () => {
  it("declares arguments and results of the tools, which give callTool its types", async () => {
    await run("status", [READ, PING]);
    const { exitCode, stdout, stderr } = await run("types", [READ, PING], "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ file: folder.file("mcp-tools.d.ts"), tools: 2, missing: [] });
    const said = await compile(`import { type Mcp, openMcp } from "jackfield";
const mcp: Mcp = await openMcp();
const { structuredContent } = await mcp.callTool("mcp__files__read", { path: "a" }, { timeoutMs: 1 });
export const text: string | undefined = structuredContent?.text;
await mcp.callTool({ server: "files", tool: "read" }, { path: "a", lines: 3 });
await mcp.callTool("mcp__files__ping");
await mcp.callTool("a_tool_nobody_knows", { anything: 1 });
const name: string = "mcp__files__read";
await mcp.callTool(name, { anything: 1 });
// @ts-expect-error a required argument is missing
await mcp.callTool("mcp__files__read", {});
// @ts-expect-error arguments are required
await mcp.callTool("mcp__files__read");
// @ts-expect-error the argument is called path
await mcp.callTool("mcp__files__read", { file: "a" });
// @ts-expect-error it is a number
await mcp.callTool({ server: "files", tool: "read" }, { path: "a", lines: "3" });
// @ts-expect-error it answers with a text
export const wrong: number | undefined = structuredContent?.text;
`);
    expect(said).toBe("");
  });

  it("leaves callTool untyped without declarations", async () => {
    writeFileSync(folder.file("mcp-tools.d.ts"), "");
    const said = await compile(`import { openMcp } from "jackfield";
const mcp = await openMcp();
const { structuredContent, isError } = await mcp.callTool("mcp__files__read", { anything: 1 });
export const failed: boolean | undefined = isError;
// @ts-expect-error nothing is known of it
export const text: string = structuredContent;
await mcp.callTool({ server: "files", tool: "read" });
`);
    expect(said).toBe("");
  });

  it("starts no server and does not change the catalog", async () => {
    await run("status", [READ]);
    const before = await run("cache", [READ], "list", "--json");
    expect((await run("types", [READ])).exitCode).toBe(0);
    expect(readFileSync(folder.file("starts"), "utf8")).toBe("started\n");
    expect((await run("cache", [READ], "list", "--json")).stdout).toBe(before.stdout);
  });

  it("exits 1 and names the servers that are not in the catalog", async () => {
    const { exitCode, stdout } = await run("types", [READ], "--json", "--out", "tools.d.ts");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ file: folder.file("tools.d.ts"), tools: 0, missing: ["files"] });
    expect((await run("types", [READ])).stdout).toMatch(/jackfield status.*\nfiles\n$/s);
  });

  it("names the next step for missing tools: approve, doctor or status", async () => {
    const { entry } = hostileServer(folder, "lazy", { tools: [READ] });
    writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers: { theirs: entry } }));
    const lazy = ["--mcp-server", `lazy=${JSON.stringify({ ...entry, lazy: true })}`];
    const { exitCode, stdout, stderr } = await run("types", [READ], ...lazy);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`with: npx jackfield approve theirs --cwd ${folder.path}\ntheirs\n`);
    expect(stdout).toMatch(/"jackfield doctor .*", which starts them:\nlazy\n/);
    expect(stdout).toMatch(/"jackfield status .*" first:\nfiles\n$/);
    expect(stderr).toMatch(/^warning: .*are not approved/);
    await run("doctor", [READ], ...lazy);
    expect((await run("types", [READ], ...lazy)).stdout).toMatch(
      /describes 2 tools\.\n.*approve theirs.*\ntheirs\n$/,
    );
  });

  it("advises to correct invalid entries, which no run makes known", async () => {
    writeFileSync(folder.file("mcp.json"), '{"mcpServers":{"bad":{"command":5},"none":{}}}');
    const { exitCode, stdout } = await run("types", [READ], "--config", "mcp.json");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /Correct these entries, which are invalid; "jackfield status .*" says why:\nbad\nnone\nThe catalog .* first:\nfiles\n$/,
    );
  });

  it("does not overwrite the file if a configuration file cannot be read", async () => {
    await run("status", [READ]);
    await run("types", [READ]);
    const before = readFileSync(folder.file("mcp-tools.d.ts"), "utf8");
    writeFileSync(folder.file("cut.json"), '{"mcpServers":{');
    const { exitCode, stdout, stderr } = await run("types", [READ], "--json", "--config", "cut.json");
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
      exitCode: 1,
      error: { code: "MCP_CONFIG_INVALID" },
    });
    expect(stderr).toMatch(/cut\.json:1:.*\n.*mcp-tools\.d\.ts was not written/);
    expect(readFileSync(folder.file("mcp-tools.d.ts"), "utf8")).toBe(before);
  });

  it("reports that the file cannot be written", async () => {
    const { exitCode, stderr } = await run("types", [READ], "--out", "missing/tools.d.ts");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot be written .*\(MCP_STORAGE_FAILED\)\n$/);
  });

  it("escapes server text, so that it cannot leave its comment or literal", async () => {
    const evil = '"; } } } export const injected = 1; /* \u00e9';
    await run("status", [{ ...READ, inputSchema: { type: "object", properties: { [evil]: {} } } }]);
    await run("types", [READ]);
    const written = readFileSync(folder.file("mcp-tools.d.ts"), "utf8");
    expect(written).toContain("Reads a file. *\\/ export");
    expect(written).toMatch(/^[\x20-\x7e\n]*$/);
    expect(
      await compile(
        '// @ts-expect-error there is no such thing\nimport { injected } from "./mcp-tools.d.ts";\n',
      ),
    ).toBe("");
  });
});
