import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { writeWholeFile } from "../src/command-line/whole-file.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const home = useTemporaryHome();

/** A repository that was cloned into a home with a file of the user's own. */
function clone() {
  const project = home.file("clone");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "sub"));
  writeFileSync(home.file(".bashrc"), "precious");
  return project;
}

/** Writes as a command does that works in that folder. */
const write = (file: string, cwd: string) => writeWholeFile(file, "new", { replaces: true, cwd });
const REFUSED = { code: "MCP_CONFIG_INVALID", message: expect.stringContaining("out of the project") };

const read = (name: string) => readFileSync(home.file(name), "utf8");

// Making a link asks for rights that not everybody has there.
describe.skipIf(process.platform === "win32")("a link that a project brings", () => {
  it.each([
    ["types", "mcp-tools.d.ts", "../.bashrc", []],
    ["types", "mcp-tools.d.ts", "folder/../.bashrc", []],
    ["verify", "mcp.lock", "../.bashrc", ["--write"]],
    ["verify", "mcp.lock", "folder/../.bashrc", ["--write"]],
    ["init", ".mcp.json", "../.bashrc", ["--force"]],
    ["init", ".mcp.json", "folder/../.bashrc", ["--force"]],
  ])("does not lead %s out of it, as %s to %s", async (command, file, leadsTo, words) => {
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
    ["one to a file", "../../.bashrc", "sub/file"],
    ["one to a file that is not there yet", "../../.profile", "sub/file"],
    ["one to another that leads out", "out", "sub/file"],
    ["one of a folder", "../..", "sub/file/.bashrc"],
    ["one through a folder's", "folder/../.bashrc", "sub/file"],
    ["one through a folder's to a file that is not there yet", "folder/../.profile", "sub/file"],
    ["one through the folders of two", "../sub/folder/../clone/sub/folder/../.profile", "sub/file"],
    ["one to another that leads through a folder's", "through", "sub/file"],
    ["one to the full name of such a place", "PROJECT/sub/folder/../.profile", "sub/file"],
  ])("is refused as %s, wherever in the project the command works", async (_title, leadsTo, named) => {
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

  it("is refused outside of a repository too, where the project is the folder", async () => {
    const project = home.file("plain");
    mkdirSync(project);
    symlinkSync("../.profile", join(project, "file"));
    await expect(write(join(project, "file"), project)).rejects.toMatchObject(REFUSED);
    expect(() => read(".profile")).toThrow();
  });

  it("is refused in a project that is entered by a link of the user's", async () => {
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
    ["a file in a folder that is a link", "linked/file", "sub/deep/file"],
    ["a file beside the folder that a link leads to", "linked/../file", "sub/file"],
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

  it("is the user's own where he names a place outside of the project, or reaches the project by it", async () => {
    const project = clone();
    symlinkSync(".bashrc", home.file("own"));
    symlinkSync("clone", home.file("shortcut"));
    await write(home.file("own"), project);
    expect(read(".bashrc")).toBe("new");
    await write(home.file("shortcut/file"), home.file("shortcut"));
    expect(read("clone/file")).toBe("new");
  });
});
