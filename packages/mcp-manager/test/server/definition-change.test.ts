import type { ServerDefinition } from "@jackfield/mcp-core";
import { httpDefinition, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { compareDefinitions, type DefinitionChange } from "../../src/server/definition-change.ts";

const child = stdioDefinition("a", { args: ["x"], env: { A: "1" }, limits: { callTimeoutMs: 1 } });
const remote = httpDefinition("a", { headers: { A: "1" } });
const server = { connect: async () => {} };
const here = (given: { connect(): Promise<void> }): ServerDefinition => ({
  name: "a",
  transport: "in-process",
  server: given,
  definedIn: { scope: "explicit" },
});

const CASES: [what: string, before: ServerDefinition, after: ServerDefinition, change: DefinitionChange][] = [
  ["nothing, in another object", child, structuredClone(child), "none"],
  ["a field that is undefined instead of missing", child, { ...child, cwd: undefined }, "none"],
  ["lazy: false instead of nothing", child, { ...child, lazy: false }, "none"],
  ["lazy", child, { ...child, lazy: true }, "settings"],
  ["a limit", child, { ...child, limits: { callTimeoutMs: 2 } }, "settings"],
  ["the filter", child, { ...child, tools: { exclude: ["x"] } }, "settings"],
  ["an empty filter list", child, { ...child, tools: { include: [] } }, "settings"],
  ["the line", child, { ...child, definedIn: { scope: "explicit", line: 3 } }, "settings"],
  [
    "a weaker definition that it stands in front of",
    child,
    { ...child, shadows: [{ name: "a", definedIn: { scope: "user", line: 3 }, reason: "name" }] },
    "settings",
  ],
  ["the file", child, { ...child, definedIn: { scope: "explicit", file: "/x" } }, "connection"],
  ["the scope", child, { ...child, definedIn: { scope: "project" } }, "connection"],
  ["the command", child, { ...child, command: "other" }, "connection"],
  ["an argument", child, { ...child, args: ["y"] }, "connection"],
  ["a variable", child, { ...child, env: { A: "2" } }, "connection"],
  ["the folder", child, { ...child, cwd: "/x" }, "connection"],
  ["a field nobody here reads", child, { ...child, extra: { oauth: true } }, "connection"],
  ["the transport", child, remote, "connection"],
  ["a header", remote, { ...remote, headers: { A: "2" } }, "connection"],
  ["the address", remote, { ...remote, url: "http://127.0.0.1:10/mcp" }, "connection"],
  ["the same server in this process", here(server), here(server), "none"],
  ["another one that looks alike", here(server), here({ ...server }), "connection"],
];

describe("what is different in a definition", () => {
  it.each(CASES)("%s", (_what, before, after, change) => {
    expect(compareDefinitions(before, after)).toBe(change);
    expect(compareDefinitions(after, before)).toBe(change);
  });
});
