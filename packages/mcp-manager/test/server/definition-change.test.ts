import type { ServerDefinition } from "@jackfield/mcp-core";
import { httpDefinition, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { compareDefinitions } from "../../src/server-directory.ts";

const child = stdioDefinition("a", { args: ["x"], env: { A: "1" }, limits: { callTimeoutMs: 1 } });
const remote = httpDefinition("a", { headers: { A: "1" } });
const server = { connect: async () => {} };
const inProcess = (given: { connect(): Promise<void> }): ServerDefinition => ({
  name: "a",
  transport: "in-process",
  server: given,
  definedIn: { scope: "explicit" },
});

const CASES: [
  title: string,
  before: ServerDefinition,
  after: ServerDefinition,
  change: ReturnType<typeof compareDefinitions>,
][] = [
  ["equal values in another object are no change", child, structuredClone(child), "none"],
  ["an undefined field instead of a missing one is no change", child, { ...child, cwd: undefined }, "none"],
  ["lazy: false instead of a missing lazy is no change", child, { ...child, lazy: false }, "none"],
  ["lazy is a setting", child, { ...child, lazy: true }, "settings"],
  ["a limit is a setting", child, { ...child, limits: { callTimeoutMs: 2 } }, "settings"],
  ["the filter is a setting", child, { ...child, tools: { exclude: ["x"] } }, "settings"],
  ["an empty filter list is a setting", child, { ...child, tools: { include: [] } }, "settings"],
  ["the line is a setting", child, { ...child, definedIn: { scope: "explicit", line: 3 } }, "settings"],
  [
    "a shadowed definition is a setting",
    child,
    { ...child, shadows: [{ name: "a", definedIn: { scope: "user", line: 3 } }] },
    "settings",
  ],
  [
    "the file is part of the connection",
    child,
    { ...child, definedIn: { scope: "explicit", file: "/x" } },
    "connection",
  ],
  ["the scope is part of the connection", child, { ...child, definedIn: { scope: "project" } }, "connection"],
  ["the command is part of the connection", child, { ...child, command: "other" }, "connection"],
  ["an argument is part of the connection", child, { ...child, args: ["y"] }, "connection"],
  ["an environment variable is part of the connection", child, { ...child, env: { A: "2" } }, "connection"],
  ["the working directory is part of the connection", child, { ...child, cwd: "/x" }, "connection"],
  ["an unknown field is part of the connection", child, { ...child, extra: { oauth: true } }, "connection"],
  ["the transport is part of the connection", child, remote, "connection"],
  ["a header is part of the connection", remote, { ...remote, headers: { A: "2" } }, "connection"],
  ["the URL is part of the connection", remote, { ...remote, url: "http://127.0.0.1:10/mcp" }, "connection"],
  ["the same in-process server is no change", inProcess(server), inProcess(server), "none"],
  [
    "another in-process server that looks alike is part of the connection",
    inProcess(server),
    inProcess({ ...server }),
    "connection",
  ],
];

describe("the comparison of two definitions", () => {
  it.each(CASES)("%s", (_title, before, after, change) => {
    expect(compareDefinitions(before, after)).toBe(change);
    expect(compareDefinitions(after, before)).toBe(change);
  });
});
