import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { writeWholeFile } from "../src/command-line/whole-file.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const home = useTemporaryHome();

/** A cloned repository in a home that has a file of the user's own. */
function clone() {
  const project = home.file("clone");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "sub"));
  writeFileSync(home.file(".bashrc"), "precious");
  return project;
}

/** Writes as a command in that folder does. */
const write = (file: string, cwd: string) => writeWholeFile(file, "new", { replaces: true, cwd });
const REFUSED = { code: "MCP_CONFIG_INVALID", message: expect.stringContaining("out of the project") };

const read = (name: string) => readFileSync(home.file(name), "utf8");

// Creating a link needs special rights on Windows.
describe.skipIf(process.platform === "win32")("a symbolic link in a project", () => {
  it.each([
    ["types", "mcp-tools.d.ts", "../.bashrc", []],
    ["types", "mcp-tools.d.ts", "folder/../.bashrc", []],
    ["verify", "mcp.lock", "../.bashrc", ["--write"]],
    ["verify", "mcp.lock", "folder/../.bashrc", ["--write"]],
    ["init", ".mcp.json", "../.bashrc", ["--force"]],
    ["init", ".mcp.json", "folder/../.bashrc", ["--force"]],
  ])("does not lead %s out of the project, as %s to %s", async (command, file, leadsTo, words) => {
    const project = clone();
    mkdirSync(home.file("elsewhere"));
    symlinkSync("../elsewhere", join(project, "folder"));
    symlinkSync(leadsTo, join(project, file));
    const { exitCode, stdout, stderr } = await commandLine(
      command,
      ...words,
      ...["--cwd", project, "--no-discover", "--cache", home.file("cache")],
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(
      `${file} was not written: its path leads through a link out of the project, to `,
    );
    expect(stderr).toContain(`${join(realpathSync(home.path), ".bashrc")}. Remove the link`);
    expect(stderr).toContain("(MCP_CONFIG_INVALID)");
    expect(read(".bashrc")).toBe("precious");
  });

  it.each([
    ["to a file", "../../.bashrc", "sub/file"],
    ["to a missing file", "../../.profile", "sub/file"],
    ["to another link that leads out", "out", "sub/file"],
    ["as a folder", "../..", "sub/file/.bashrc"],
    ["through a folder link", "folder/../.bashrc", "sub/file"],
    ["through a folder link to a missing file", "folder/../.profile", "sub/file"],
    ["through two folder links", "../sub/folder/../clone/sub/folder/../.profile", "sub/file"],
    ["to a link through a folder link", "through", "sub/file"],
    ["to the absolute form of such a path", "PROJECT/sub/folder/../.profile", "sub/file"],
  ])("is refused in any working directory of the project: %s", async (_title, leadsTo, named) => {
    const project = clone();
    mkdirSync(home.file("elsewhere"));
    symlinkSync("../../elsewhere", join(project, "sub/folder"));
    symlinkSync("folder/../.profile", join(project, "sub/through"));
    symlinkSync("../../.bashrc", join(project, "sub/out"));
    symlinkSync(leadsTo.replace("PROJECT", project), join(project, "sub/file"));
    for (const cwd of [project, join(project, "sub")])
      await expect(write(join(project, named), cwd)).rejects.toMatchObject(REFUSED);
    expect(read(".bashrc")).toBe("precious");
    expect(() => read(".profile")).toThrow();
  });

  it("is refused outside a repository, too, where the folder is the project", async () => {
    const project = home.file("plain");
    mkdirSync(project);
    symlinkSync("../.profile", join(project, "file"));
    await expect(write(join(project, "file"), project)).rejects.toMatchObject(REFUSED);
    expect(() => read(".profile")).toThrow();
  });

  it("is refused in a project that the user enters through a link", async () => {
    const project = clone();
    symlinkSync("clone", home.file("shortcut"));
    symlinkSync("../.bashrc", join(project, "file"));
    await expect(write(home.file("shortcut/file"), home.file("shortcut"))).rejects.toMatchObject(REFUSED);
    expect(read(".bashrc")).toBe("precious");
  });

  it("is followed within the project, also upward", async () => {
    const project = clone();
    symlinkSync("../mcp.lock", join(project, "sub/mcp.lock"));
    await write(join(project, "sub/mcp.lock"), join(project, "sub"));
    expect(read("clone/mcp.lock")).toBe("new");
  });

  it.each([
    ["a file in a linked folder", "linked/file", "sub/deep/file"],
    ["a file beside a linked folder", "linked/../file", "sub/file"],
    ["a folder whose name begins with two dots", "..notes/file", "..notes/file"],
  ])("is followed to %s within the project", async (_title, leadsTo, end) => {
    const project = clone();
    mkdirSync(join(project, "..notes"));
    mkdirSync(join(project, "sub/deep"));
    symlinkSync("sub/deep", join(project, "linked"));
    symlinkSync(leadsTo, join(project, "link"));
    for (const before of [undefined, "old"]) {
      if (before !== undefined) writeFileSync(join(project, end), before);
      await write(join(project, "link"), project);
      expect(read(join("clone", end))).toBe("new");
    }
  });

  it("is followed outside the project, where it is the user's own", async () => {
    const project = clone();
    symlinkSync(".bashrc", home.file("own"));
    symlinkSync("clone", home.file("shortcut"));
    await write(home.file("own"), project);
    expect(read(".bashrc")).toBe("new");
    await write(home.file("shortcut/file"), home.file("shortcut"));
    expect(read("clone/file")).toBe("new");
  });
});
