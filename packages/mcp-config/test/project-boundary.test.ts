import { describe, expect, test } from "vitest";
import { climbsOut, isInside } from "../src/find/project-boundary.ts";
import { read, refused as refusedEntry } from "./entries/entry-reading.ts";
import { IN_PROJECT, refused, resolveStdio } from "./resolution.ts";

const place = { definedIn: IN_PROJECT, directory: "/project" };

describe("a project's entry", () => {
  test.each([
    ["cwd", "../../.."],
    ["cwd", ".."],
    ["cwd", "sub/../.."],
    ["cwd", "/"],
    ["cwd", "/project-other"],
    ["envFile", "../.env"],
    ["envFile", "/home/ada/.env"],
    ["envFile", "./a/../../.env"],
    ["command", "../server.js"],
    ["command", "./../../bin/server"],
    ["command", "sub/../../server"],
  ])("[threat T24] is refused if its %s is %j", (field, path) => {
    const error = refusedEntry({ command: "node", [field]: path }, place);
    expect(error).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      server: "s",
      location: { pointer: `/${field}` },
    });
    expect(error.message).toContain(`"${field}" leads out of the project's directory`);
    expect(error.message).toContain("Name a path inside it");
  });

  test.each([
    ["cwd", ".", "/project"],
    ["cwd", "sub/..", "/project"],
    ["cwd", "..sub", "/project/..sub"],
    ["cwd", "/project/sub", "/project/sub"],
    ["envFile", ".env", "/project/.env"],
    ["envFile", "../project/.env", "/project/.env"],
    ["command", "./server.js", "/project/server.js"],
    ["command", "npx", "npx"],
    ["command", "/usr/bin/node", "/usr/bin/node"],
  ])("[threat T24] may have %s %j", (field, path, expected) => {
    expect(read({ command: "node", [field]: path }, place).definition).toHaveProperty(field, expected);
  });

  test.each([
    [{ cwd: "${UP}" }, "../.."],
    [{ cwd: "/project/${UP}" }, ".."],
    [{ cwd: "${UP}" }, "/etc"],
    [{ envFile: "${UP:-../.env}" }, undefined],
    [{ command: "${UP}/server" }, ".."],
    [{ command: "/project/./${UP}/server" }, "../.."],
  ])("[threat T24] with %j is refused if the variable is %j", async (written, UP) => {
    const options = { env: { UP }, projectVariables: ["UP"] };
    const error = await refused(resolveStdio({ ...written, definedIn: IN_PROJECT }, options));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", server: "s", location: { line: 4 } });
    expect(error.message).toContain(`"${Object.keys(written)[0]}" leads out of the project's directory`);
  });

  test("[threat T24] may have paths that stay inside once their variables are filled in", async () => {
    const written = { cwd: "${SUB}", command: "${SUB}/server", env: { SUB: "sub" }, definedIn: IN_PROJECT };
    expect(await resolveStdio(written)).toMatchObject({
      cwd: "/project/sub",
      command: "/project/sub/server",
    });
  });

  test("[threat T16] that was defined without reading a file may not set a loader variable either", async () => {
    const error = await refused(resolveStdio({ env: { BASH_ENV: "./x" }, definedIn: IN_PROJECT }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "resolve" });
    expect(error.message).toContain('"env.BASH_ENV" makes programs load or run other code');
  });
});

test.each(["explicit", "user"] as const)(
  "an entry of scope %s may name any directory and file",
  async (scope) => {
    const definedIn = { ...IN_PROJECT, scope };
    const entry = { command: "../bin/s", cwd: "../..", envFile: "../.env" };
    expect(read(entry, { ...place, definedIn }).definition).toMatchObject({
      command: "/bin/s",
      cwd: "/",
      envFile: "/.env",
    });
    expect(await resolveStdio({ cwd: "${UP}", definedIn }, { env: { UP: "/etc" } })).toMatchObject({
      cwd: "/etc",
    });
  },
);

describe("the project boundary", () => {
  test.each([
    ["/a/b", "/a/b", true],
    ["/a/b/c", "/a/b", true],
    ["/a/b/..c", "/a/b", true],
    ["/a/bc", "/a/b", false],
    ["/a", "/a/b", false],
    ["/x", "/", true],
  ])("%s is inside %s: %j", (path, directory, expected) => {
    expect(isInside(path, directory)).toBe(expected);
  });

  test.each([
    ["npx", false],
    ["..", false],
    ["./npx", false],
    ["../npx", true],
    ["/usr/bin/npx", false],
    ["/project/../npx", true],
  ])("the command %s leads out of /project: %j", (command, expected) => {
    expect(climbsOut(command, "/project")).toBe(expected);
  });
});
