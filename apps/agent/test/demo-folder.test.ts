import { chmod, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { demoFolder } from "../src/demo-folder.ts";

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "demo-folder-test-"));
});

afterEach(() => rm(parent, { recursive: true }));

describe("the demo folder", () => {
  it("is the same every time, and private to the user", async () => {
    const folder = await demoFolder(parent);
    expect(await demoFolder(parent)).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform === "win32")("is replaced by another if other users can enter it", async () => {
    const folder = await demoFolder(parent);
    await chmod(folder, 0o755);
    const other = await demoFolder(parent);
    expect(other).not.toBe(folder);
    expect((await stat(other)).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform === "win32")("is replaced by another if a link is in its place", async () => {
    const folder = await demoFolder(parent);
    await rm(folder, { recursive: true });
    const target = join(parent, "elsewhere");
    await mkdir(target, { mode: 0o700 });
    await symlink(target, folder);
    expect(await demoFolder(parent)).not.toBe(folder);
  });
});
