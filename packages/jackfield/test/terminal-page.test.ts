import { writeFileSync } from "node:fs";
import { WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { useLeakCheck } from "@jackfield/test-kit";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { collector, everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const ESCAPE = "\u001b";

const folder = useTemporaryHome();
beforeEach(() => {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "CI", "COLORTERM"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
  const broken = { command: "no-such-program-with-a-name-that-is-much-longer-than-anybody-would-call-one" };
  const names = { everything, "a-server-whose-name-takes-rather-more-room-than-others": broken };
  writeFileSync(folder.file("configuration-with-a-long-name.json"), JSON.stringify({ mcpServers: names }));
});

/** What a command prints on a terminal of that width, or into a pipe. Node decides about colours, as for a real one. */
async function print(columns: number | undefined, ...argv: string[]): Promise<string> {
  const stdout = collector();
  const { getColorDepth } = WriteStream.prototype;
  const own = columns === undefined ? stdout : Object.assign(stdout, { isTTY: true, columns, getColorDepth });
  const places = ["--cwd", folder.path, "--cache", folder.file("cache")];
  const config = ["--config", folder.file("configuration-with-a-long-name.json")];
  await runCommandLine([...argv, ...places, ...config], { stdout: own, stderr: collector() });
  return stdout.text();
}

const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("the output of a command", () => {
  it.each([
    [80, ["status"]],
    [140, ["status"]],
    [80, ["tools", "--tokens"]],
    [140, ["tools", "--tokens"]],
    [80, ["config", "list"]],
    [140, ["config", "list"]],
    [80, ["doctor"]],
    [140, ["doctor"]],
    [80, ["--help"]],
    [80, ["call", "--help"]],
  ])("fits a terminal of %i columns: %j", async (columns, argv) => {
    vi.stubEnv("NO_COLOR", "1");
    const printed = await print(columns, ...argv);
    expect(widest(printed)).toBeLessThanOrEqual(columns);
    expect(widest(printed)).toBeGreaterThan(40);
  });

  it.each(["__proto__", "constructor", "toString"])("lists a server called %s", async (name) => {
    const entry = JSON.stringify({ command: "no-such-program" });
    const printed = await print(80, "config", "list", "--mcp-server", `${name}=${entry}`);
    expect(printed).toContain(ESCAPE);
    expect(stripVTControlCharacters(printed)).toMatch(new RegExp(`^${name} +stdio`, "m"));
  });

  it("keeps the end of a long path", async () => {
    vi.stubEnv("NO_COLOR", "1");
    const [, row] = (await print(80, "config", "list")).split("\n");
    expect(row).toMatch(/^everything .*….*\.json:1$/);
  });

  it.each([
    ["colours", "a terminal", 80, {}],
    ["no colours", "a terminal with NO_COLOR", 80, { NO_COLOR: "1" }],
    ["no colours", "a terminal with FORCE_COLOR=0", 80, { FORCE_COLOR: "0" }],
    ["no colours", "a dumb terminal", 80, { TERM: "dumb" }],
    ["no colours", "a pipe", undefined, {}],
    ["colours", "a pipe with FORCE_COLOR", undefined, { FORCE_COLOR: "1" }],
  ])("has %s on %s", async (colours, _where, columns, environment) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const printed = await print(columns, "status");
    expect(printed.includes(`${ESCAPE}[32mready${ESCAPE}[39m`)).toBe(colours === "colours");
    expect(printed.includes(ESCAPE)).toBe(colours === "colours");
  });

  it("is not truncated in a pipe", async () => {
    const printed = await print(undefined, "config", "list");
    expect(printed).toContain(`${folder.file("configuration-with-a-long-name.json")}:1\n`);
    expect(printed).not.toContain("…");
  });

  it("has the same columns with and without colours", async () => {
    const coloured = await print(100, "config", "list");
    vi.stubEnv("NO_COLOR", "1");
    const plain = await print(100, "config", "list");
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });
});
