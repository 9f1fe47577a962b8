import { describe, expect, test } from "vitest";
import { type CommandSearch, findCommand, projectsAmong, withoutRelativeEntries } from "../../src/node.ts";

function search(files: readonly string[], options: Partial<CommandSearch> = {}): CommandSearch {
  const isExecutable = (file: string) => files.includes(file);
  return { platform: "linux", path: "/usr/local/bin:/usr/bin", cwd: "/project", isExecutable, ...options };
}

function onWindows(files: readonly string[], options: Partial<CommandSearch> = {}): CommandSearch {
  const known = files.map((file) => file.toLowerCase());
  return {
    platform: "win32",
    path: "C:\\Windows\\System32;C:\\Program Files\\nodejs",
    cwd: "C:\\project",
    isExecutable: (file) => known.includes(file.toLowerCase()),
    ...options,
  };
}

describe("findCommand", () => {
  test("finds a bare name in the first PATH entry that contains it", () => {
    const files = ["/usr/local/bin/npx", "/usr/bin/npx", "/usr/bin/uvx"];
    expect(findCommand("npx", search(files))).toEqual({ file: "/usr/local/bin/npx" });
    expect(findCommand("uvx", search(files))).toEqual({ file: "/usr/bin/uvx" });
    expect(findCommand("bunx", search(files))).toEqual({ passedOver: undefined });
  });

  test.each([
    ["a dot", ".:/usr/bin", ".", "/project/npx"],
    ["an empty entry at the start", ":/usr/bin", "", "/project/npx"],
    ["an empty entry at the end", "/usr/bin:", "", "/project/npx"],
    ["an empty entry between two others", "/a::/usr/bin", "", "/project/npx"],
    ["an empty string", "", "", "/project/npx"],
    ["a relative entry", "tools/bin:/usr/bin", "tools/bin", "/project/tools/bin/npx"],
    ["an entry that starts with a tilde", "~/bin:/usr/bin", "~/bin", "/project/~/bin/npx"],
  ])(
    "[threat T18] never searches the working directory through %s in PATH",
    (_what, path, entry, planted) => {
      const result = findCommand("npx", search([planted], { path }));
      expect(result).toEqual({ passedOver: { entry, reason: "relative" } });
      const withReal = findCommand("npx", search([planted, "/usr/bin/npx"], { path }));
      if (path.includes("/usr/bin")) expect(withReal).toEqual({ file: "/usr/bin/npx" });
    },
  );

  test.each([
    ["a folder in the project", "/project/node_modules/.bin", "/project/node_modules/.bin/npx"],
    ["the project itself", "/project", "/project/npx"],
    ["a path into the project with ..", "/usr/../project/bin", "/project/bin/npx"],
    ["the project with a trailing slash", "/project/", "/project/npx"],
  ])("[threat T18] skips an absolute PATH entry that is %s", (_what, entry, planted) => {
    const path = `${entry}:/usr/bin`;
    expect(findCommand("npx", search([planted, "/usr/bin/npx"], { path }))).toEqual({ file: "/usr/bin/npx" });
    expect(findCommand("npx", search([planted], { path }))).toEqual({
      passedOver: { entry, reason: "in-project" },
    });
  });

  test("[threat T18] skips a PATH entry that is a link into the project", () => {
    const realPath = (path: string) => path.replace(/^\/link/, "/project");
    const options = { path: "/link/bin:/usr/bin", realPath };
    const files = ["/link/bin/npx", "/usr/bin/npx"];
    expect(findCommand("npx", search(files, options))).toEqual({ file: "/usr/bin/npx" });
  });

  test("does not mistake a similarly named directory for the project", () => {
    const options = { path: "/project-tools/bin:/..hidden/bin" };
    expect(findCommand("a", search(["/project-tools/bin/a"], options)).file).toBe("/project-tools/bin/a");
    expect(findCommand("b", search(["/..hidden/bin/b"], { ...options, cwd: "/x" })).file).toBe(
      "/..hidden/bin/b",
    );
  });

  test("does not report a skipped entry that lacks the command", () => {
    expect(findCommand("npx", search(["/usr/bin/npx"], { path: ".:/usr/bin" }))).toEqual({
      file: "/usr/bin/npx",
    });
    expect(findCommand("npx", search([], { path: ".:/usr/bin" }))).toEqual({ passedOver: undefined });
  });

  test.each([
    ["./server", "/project/server"],
    ["bin/server", "/project/bin/server"],
    ["../server", "/server"],
    ["/opt/server", "/opt/server"],
    ["/project/node_modules/.bin/tsx", "/project/node_modules/.bin/tsx"],
    ["/opt/server/", "/opt/server/"],
    ["sh -c 'touch /tmp/x'", "/project/sh -c 'touch /tmp/x'"],
  ])("treats a command with a separator, %j, as a path", (command, file) => {
    expect(findCommand(command, search([]))).toEqual({ file });
  });

  test("[threat T20] treats a bare name with spaces as one name", () => {
    expect(findCommand("sh -c id", search(["/usr/bin/sh"]))).toEqual({ passedOver: undefined });
    expect(findCommand("my tool", search(["/usr/bin/my tool"])).file).toBe("/usr/bin/my tool");
  });

  test("treats a backslash as part of the name on Linux", () => {
    expect(findCommand("a\\b", search(["/usr/bin/a\\b"])).file).toBe("/usr/bin/a\\b");
  });
});

describe("findCommand on Windows", () => {
  const NPX = "C:\\Program Files\\nodejs\\npx.cmd";

  test("[X14] finds npx as npx.cmd, with the extension spelled as in PATHEXT", () => {
    expect(findCommand("npx", onWindows([NPX])).file).toBe("C:\\Program Files\\nodejs\\npx.cmd");
    const options = { pathExt: ".COM;.EXE;.BAT;.CMD;.VBS;.JS" };
    expect(findCommand("npx", onWindows([NPX], options)).file).toBe("C:\\Program Files\\nodejs\\npx.CMD");
  });

  test.each([
    [".COM;.EXE;.BAT;.CMD", "tool.EXE"],
    [".CMD;.EXE", "tool.CMD"],
    [undefined, "tool.exe"],
    ["", "tool.exe"],
    [".JS;.VBS", "tool.exe"],
  ])("PATHEXT %j decides between files in one directory", (pathExt, expected) => {
    const files = ["C:\\bin\\tool", "C:\\bin\\tool.js", "C:\\bin\\tool.cmd", "C:\\bin\\tool.exe"];
    expect(findCommand("tool", onWindows(files, { path: "C:\\bin", pathExt })).file).toBe(
      `C:\\bin\\${expected}`,
    );
  });

  test("the order of PATH takes precedence over that of PATHEXT", () => {
    const files = ["C:\\a\\tool.cmd", "C:\\b\\tool.exe"];
    expect(findCommand("tool", onWindows(files, { path: "C:\\a;C:\\b" })).file).toBe("C:\\a\\tool.cmd");
  });

  test("ignores a file without an extension, a .js and a .ps1", () => {
    const files = ["C:\\bin\\npx", "C:\\bin\\npx.js", "C:\\bin\\npx.ps1"];
    expect(findCommand("npx", onWindows(files, { path: "C:\\bin", pathExt: ".JS;.PS1" })).file).toBe(
      undefined,
    );
  });

  test("finds a name with an extension as it is, or with another one appended", () => {
    expect(findCommand("npx.cmd", onWindows([NPX])).file).toBe(NPX);
    expect(findCommand("NPX.CMD", onWindows([NPX])).file).toBe("C:\\Program Files\\nodejs\\NPX.CMD");
    expect(findCommand("node.js", onWindows(["C:\\Windows\\System32\\node.js.exe"])).file).toBe(
      "C:\\Windows\\System32\\node.js.exe",
    );
  });

  test("removes the quotes around a PATH entry", () => {
    const options = { path: '"C:\\Program Files\\nodejs";C:\\x' };
    expect(findCommand("npx", onWindows([NPX], options)).file).toBe(NPX);
  });

  test.each([
    ["the working directory, which is not in PATH", "C:\\Windows", undefined],
    ["a dot", ".;C:\\Windows", { entry: ".", reason: "relative" }],
    ["a relative entry", "..\\project;C:\\Windows", { entry: "..\\project", reason: "relative" }],
    ["a path without a drive", "\\project;C:\\Windows", { entry: "\\project", reason: "relative" }],
    ["a drive without a path", "C:;C:\\Windows", { entry: "C:", reason: "relative" }],
    ["the project", "C:\\project", { entry: "C:\\project", reason: "in-project" }],
    ["the project in another case", "c:\\PROJECT", { entry: "c:\\PROJECT", reason: "in-project" }],
    ["the project with slashes", "C:/project/", { entry: "C:/project/", reason: "in-project" }],
  ])("[threat T18] does not find npx.cmd in the project through %s", (_what, path, passedOver) => {
    const files = ["C:\\project\\npx.cmd", "c:\\PROJECT\\npx.cmd"];
    const search = onWindows(files, { path });
    // `C:` alone is the working directory of that drive, which only the system knows.
    if (path.startsWith("C:;")) expect(findCommand("npx", search).file).toBe(undefined);
    else expect(findCommand("npx", search)).toEqual({ passedOver });
  });

  test.each([
    [".\\server", "C:\\project\\server.exe"],
    ["bin/server", "C:\\project\\bin\\server.exe"],
    ["D:\\tools\\server.exe", "D:\\tools\\server.exe"],
    ["\\\\host\\share\\server.exe", "\\\\host\\share\\server.exe"],
    ["C:server.exe", "C:\\project\\server.exe"],
  ])("treats a command with a separator, %j, as a path", (command, file) => {
    expect(findCommand(command, onWindows([file])).file).toBe(file);
  });

  test("returns the path of a missing file and leaves the error to the system", () => {
    expect(findCommand(".\\server", onWindows([])).file).toBe("C:\\project\\server");
  });
});

describe("projectsAmong", () => {
  test.each<[string, string, NodeJS.Platform, boolean]>([
    ["/home/ada/project", "/home/ada", "linux", true],
    ["/work", "/home/ada", "linux", true],
    ["/home/ada", "/home/ada", "linux", false],
    ["/home", "/home/ada", "linux", false],
    ["/", "/home/ada", "linux", false],
    ["/home/ada2", "/home/ada", "linux", true],
    ["C:\\work", "C:\\Users\\ada", "win32", true],
    ["c:\\users\\ADA", "C:\\Users\\ada", "win32", false],
    ["C:\\", "D:\\Users\\ada", "win32", false],
  ])("%s with the home %s on %s can be a project: %j", (directory, home, platform, isProject) => {
    expect(projectsAmong([directory], home, platform)).toEqual(isProject ? [directory] : []);
  });

  test("a host started in the user's home directory finds commands installed there", () => {
    const path = "/home/ada/.local/bin";
    const projects = projectsAmong(["/home/ada"], "/home/ada", "linux");
    const options = { path, cwd: "/home/ada", projects };
    expect(findCommand("uvx", search([`${path}/uvx`], options)).file).toBe(`${path}/uvx`);
  });
});

describe("withoutRelativeEntries", () => {
  test.each<[NodeJS.Platform, string, string | undefined]>([
    ["linux", "/usr/bin:/bin", "/usr/bin:/bin"],
    ["linux", ".:/usr/bin::bin:~/bin:/bin:", "/usr/bin:/bin"],
    ["linux", "", undefined],
    ["linux", ".:bin", undefined],
    ["win32", 'C:\\bin;;.;bin;\\bin;D:x;"C:\\a b";\\\\host\\share', 'C:\\bin;"C:\\a b";\\\\host\\share'],
  ])("[threat T18] on %s, %j becomes %j", (platform, path, expected) => {
    expect(withoutRelativeEntries(path, platform)).toBe(expected);
  });
});
