import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryAround } from "../../src/stdio/command.ts";
import { atEnd } from "../cleanup.ts";
import { connect, failToConnect } from "../connecting.ts";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-project-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder in which `tool` is this Node.js, as an installed program would be. */
function installedTool(): string {
  const folder = temporaryFolder();
  symlinkSync(process.execPath, join(folder, "tool"));
  return folder;
}

/** A repository with programs called `tool` in some of its folders; each leaves the file `canary` there if it runs. */
function projectWith(...folders: string[]): { root: string; canary: string } {
  const root = temporaryFolder();
  const canary = join(root, "canary");
  mkdirSync(join(root, ".git"));
  for (const folder of folders) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "tool"), `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(join(root, folder, "tool"), 0o755);
  }
  return { root, canary };
}

function startedAs(command: string, cwd: string, PATH: string, server = scriptedServer()): ScriptedServer {
  return { ...server, command, cwd, env: { PATH } };
}

describe.concurrent("a PATH that leads into the project", () => {
  test("[threat T18] finds no program in the whole repository, even from a subfolder", async () => {
    const { root, canary } = projectWith("tools/bin", "node_modules/.bin", "packages/a/bin");
    const path = ["tools/bin", "node_modules/.bin", "packages/a/bin"].map((entry) => join(root, entry));
    const server = startedAs("tool", join(root, "packages/a"), [...path, installedTool()].join(":"));
    await connect(server);
    expect(server.starts()).toHaveLength(1);
    expect(existsSync(canary)).toBe(false);
    const error = await failToConnect({ ...server, env: { PATH: path.join(":") } });
    expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", phase: "spawn" });
    expect(error.message).toContain("because it is inside the working directory or its repository");
    expect(existsSync(canary)).toBe(false);
  });

  test("[threat T18] is passed to the server without its relative entries", async () => {
    const { root, canary } = projectWith(".", "bin");
    const installed = installedTool();
    // Like `npx`: `env` looks up the interpreter again.
    const launcher = join(installed, "launcher");
    writeFileSync(launcher, `#!/bin/sh\nexec /usr/bin/env tool "$@"\n`);
    chmodSync(launcher, 0o755);
    const server = startedAs("launcher", root, [".", "", "bin", "./bin", installed].join(":"));
    await connect(server);
    expect(server.starts()).toHaveLength(1);
    expect(existsSync(canary)).toBe(false);
  });

  test.each(["", ".", ":", "bin:./bin:../x"])(
    "[threat T18] PATH=%j is not passed to the server at all",
    async (PATH) => {
      const { root } = projectWith("bin");
      const server = startedAs(process.execPath, root, PATH);
      await connect(server);
      expect(server.environment()).toEqual([]);
    },
  );
});

describe("repositoryAround", () => {
  test("finds the nearest folder with a .git folder or a worktree's .git file", () => {
    const { root } = projectWith();
    const worktree = join(root, "work/tree");
    mkdirSync(join(worktree, "src"), { recursive: true });
    expect(repositoryAround(join(worktree, "src"))).toBe(root);
    writeFileSync(join(worktree, ".git"), "gitdir: elsewhere\n");
    expect(repositoryAround(join(worktree, "src"))).toBe(worktree);
    expect(repositoryAround(worktree)).toBe(worktree);
    expect(repositoryAround(root)).toBe(root);
  });

  test("returns undefined outside any repository", () => {
    expect(repositoryAround(temporaryFolder())).toBe(undefined);
  });
});
