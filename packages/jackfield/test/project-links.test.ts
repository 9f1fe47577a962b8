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

const read = (name: string) => readFileSync(home.file(name), "utf8");

// Making a link asks for rights that not everybody has there.
describe.skipIf(process.platform === "win32")("a link that a project brings", () => {
  it.each([
    ["types", "mcp-tools.d.ts", []],
    ["verify", "mcp.lock", ["--write"]],
    ["init", ".mcp.json", ["--force"]],
  ])("does not lead %s out of it", async (command, file, words) => {
    const project = clone();
    symlinkSync("../.bashrc", join(project, file));
    const { exitCode, stdout, stderr } = await commandLine(
      command,
      ...words,
      ...["--cwd", project, "--no-discover", "--cache", home.file("cache")],
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`${file} was not written: it leads by a link out of the project, to `);
    expect(stderr).toContain(`${join(realpathSync(home.path), ".bashrc")}. Remove the link`);
    expect(stderr).toContain("(MCP_CONFIG_INVALID)");
    expect(read(".bashrc")).toBe("precious");
  });

  it.each([
    ["one to a file", "../../.bashrc", "sub/file"],
    ["one to a file that is not there yet", "../../.profile", "sub/file"],
    ["one to another that leads out", "out", "sub/file"],
    ["one of a folder", "../..", "sub/file/.bashrc"],
  ])("is refused as %s, wherever in the project the command works", async (_title, leadsTo, named) => {
    const project = clone();
    symlinkSync("../../.bashrc", join(project, "sub/out"));
    symlinkSync(leadsTo, join(project, "sub/file"));
    for (const cwd of [project, join(project, "sub")]) {
      const written = writeWholeFile(join(project, named), "new", { replaces: true, cwd });
      await expect(written).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    }
    expect(read(".bashrc")).toBe("precious");
    expect(() => read(".profile")).toThrow();
  });

  it("is followed within the project, also upward", async () => {
    const project = clone();
    symlinkSync("../mcp.lock", join(project, "sub/mcp.lock"));
    await writeWholeFile(join(project, "sub/mcp.lock"), "new", {
      replaces: true,
      cwd: join(project, "sub"),
    });
    expect(read("clone/mcp.lock")).toBe("new");
  });

  it("is the user's own where he names a place outside of the project, or reaches the project by it", async () => {
    const project = clone();
    symlinkSync(".bashrc", home.file("own"));
    symlinkSync("clone", home.file("shortcut"));
    await writeWholeFile(home.file("own"), "new", { replaces: true, cwd: project });
    expect(read(".bashrc")).toBe("new");
    await writeWholeFile(home.file("shortcut/file"), "new", { replaces: true, cwd: home.file("shortcut") });
    expect(read("clone/file")).toBe("new");
  });
});
