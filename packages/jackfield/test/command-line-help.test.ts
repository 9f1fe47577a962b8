import { describe, expect, it } from "vitest";
import { readArguments } from "../src/command-line/arguments.ts";
import { COMMAND_NAMES } from "../src/command-line/help.ts";
import { commandLine } from "./fixture.ts";
import { PUBLISHED_SCHEMAS, schemaProblems } from "./published-schemas.ts";

describe("help", () => {
  it("lists every command", async () => {
    const { exitCode, stdout } = await commandLine("--help");
    expect(exitCode).toBe(0);
    for (const name of COMMAND_NAMES) expect(stdout).toMatch(new RegExp(`^ {2}\\[?${name}\\b`, "m"));
  });

  it.each(COMMAND_NAMES)("on %s shows its usage and an example that parses", async (name) => {
    const { exitCode, stdout } = await commandLine(name, "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: jackfield \\[?${name}\\b`, "m"));
    const [, example = ""] = /^Example\n {2}jackfield (.*)$/m.exec(stdout) ?? [];
    // As a shell reads it, which takes the quotation marks away.
    const words = [...example.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));
    expect(await readArguments(words)).toMatchObject({ command: name });
    expect(await commandLine("help", name)).toEqual({ exitCode, stdout, stderr: "" });
  });
});

describe("the published schemas", () => {
  it("exist for every JSON document, and reject any other object", () => {
    expect(PUBLISHED_SCHEMAS.toSorted()).toEqual([
      "add",
      "approve",
      "cache-clear",
      "cache-list",
      "cache-path",
      "call",
      "completion",
      "config-list",
      "config-parse",
      "disable",
      "doctor",
      "enable",
      "error",
      "init",
      "login",
      "logout",
      "logs",
      "prompt",
      "prompts",
      "read",
      "remove",
      "resources",
      "status",
      "tap",
      "tools",
      "types",
      "verify",
    ]);
    for (const name of PUBLISHED_SCHEMAS) expect(schemaProblems(name, { unexpected: true })).not.toEqual([]);
  });
});
