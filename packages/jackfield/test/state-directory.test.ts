import { userInfo } from "node:os";
import { loseHome } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { stateDirectory } from "../src/state-directory.ts";

describe("the state directory", () => {
  it.each([
    ["linux", {}, "/home/ada", "/home/ada/.local/state/jackfield"],
    ["linux", { XDG_STATE_HOME: "/var/state" }, "/home/ada", "/var/state/jackfield"],
    ["linux", { XDG_STATE_HOME: "relative" }, "/home/ada", "/home/ada/.local/state/jackfield"],
    ["linux", { JACKFIELD_HOME: "/opt/jf", XDG_STATE_HOME: "/var/state" }, "/home/ada", "/opt/jf/state"],
    ["linux", { JACKFIELD_HOME: ".jackfield" }, "/home/ada", "/home/ada/.local/state/jackfield"],
    ["linux", {}, "", `${userInfo().homedir}/.local/state/jackfield`],
    ["darwin", {}, "ada", `${userInfo().homedir}/Library/Application Support/jackfield`],
    ["darwin", {}, "/Users/ada", "/Users/ada/Library/Application Support/jackfield"],
    ["win32", {}, "C:\\Users\\ada", "C:\\Users\\ada\\AppData\\Local\\jackfield\\State"],
    ["win32", { LOCALAPPDATA: "D:\\Local" }, "C:\\Users\\ada", "D:\\Local\\jackfield\\State"],
  ] as const)("on %s with %j at %s: %s", (platform, env, home, expected) => {
    expect(stateDirectory({ platform, env, home })).toBe(expected);
  });

  it("without a known home comes from a variable, or is undefined", () => {
    loseHome();
    const directory = (env: { readonly [name: string]: string }) =>
      stateDirectory({ platform: "linux", env });
    expect(directory({ JACKFIELD_HOME: "/opt/jf" })).toBe("/opt/jf/state");
    expect(directory({ XDG_STATE_HOME: "/var/state" })).toBe("/var/state/jackfield");
    expect(directory({ JACKFIELD_HOME: "relative" })).toBeUndefined();
    expect(stateDirectory({ platform: "linux", env: {}, home: "" })).toBeUndefined();
  });
});
