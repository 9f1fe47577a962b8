import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { writeWholeFile } from "../src/command-line/whole-file.ts";
import { useTemporaryHome } from "./fixture.ts";

interface Disk {
  isFull: boolean;
  /** The step that fails, and its error code. */
  refusal: { readonly of: "open" | "rename" | "access"; readonly code: string } | undefined;
  /** What is thrown instead of a system error. */
  oddity: object | undefined;
  isOfSomebodyElse: boolean;
  /** A file that another program creates meanwhile. */
  rival: string | undefined;
}

const disk: Disk = {
  isFull: false,
  refusal: undefined,
  oddity: undefined,
  isOfSomebodyElse: false,
  rival: undefined,
};
const sound: Disk = { ...disk };
afterEach(() => void Object.assign(disk, sound));

function refuse(step: string): void {
  const { of, code } = disk.refusal ?? {};
  if (disk.oddity !== undefined) throw disk.oddity;
  if (of === step) throw Object.assign(new Error("refused"), { code });
}

/** Faults of a disk while a file is looked at, and while a draft is written and put in place. */
beforeEach(() => {
  const promises = process.getBuiltinModule("node:fs/promises");
  const { access, stat } = promises;
  vi.spyOn(promises, "access").mockImplementation(async (...file) => {
    refuse("access");
    return access(...file);
  });
  vi.spyOn(promises, "stat").mockImplementation(async (file) => {
    const found = await stat(file);
    return disk.isOfSomebodyElse ? Object.assign(found, { uid: found.uid + 1 }) : found;
  });
  const fileSystem = process.getBuiltinModule("node:fs");
  const { fsyncSync, openSync, renameSync } = fileSystem;
  vi.spyOn(fileSystem, "openSync").mockImplementation((path, flags, mode) => {
    if (flags !== "wx") return openSync(path, flags, mode);
    refuse("open");
    if (disk.rival !== undefined) writeFileSync(disk.rival, "theirs");
    return openSync(path, flags, mode);
  });
  vi.spyOn(fileSystem, "renameSync").mockImplementation((...paths) => {
    refuse("rename");
    renameSync(...paths);
  });
  vi.spyOn(fileSystem, "fsyncSync").mockImplementation((file) => {
    if (disk.isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    fsyncSync(file);
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const folder = useTemporaryHome();
const replace = (file: string, text: string) =>
  writeWholeFile(file, text, { replaces: true, cwd: folder.path });
const make = (file: string, text: string) =>
  writeWholeFile(file, text, { replaces: false, cwd: folder.path });

describe("a file that a command writes", () => {
  it("replaces the old file, keeps its mode and leaves no temporary file", async () => {
    const file = folder.file("mcp.lock");
    writeFileSync(file, "old");
    chmodSync(file, 0o640);
    const { mode } = statSync(file);
    await replace(file, "new");
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).mode).toBe(mode);
    expect(readdirSync(folder.path)).toEqual(["mcp.lock"]);
  });

  it("does not replace an existing file unless allowed", async () => {
    const file = folder.file(".mcp.json");
    await make(file, "first");
    await expect(make(file, "second")).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining("--force"),
    });
    expect(readFileSync(file, "utf8")).toBe("first");
    expect(readdirSync(folder.path)).toEqual([".mcp.json"]);
  });

  it("does not replace a file that was created meanwhile", async () => {
    const file = folder.file(".mcp.json");
    disk.rival = file;
    await expect(make(file, "mine")).rejects.toThrow("already exists");
    expect(readFileSync(file, "utf8")).toBe("theirs");
    expect(readdirSync(folder.path)).toEqual([".mcp.json"]);
  });

  it("is written to the target of a link", async () => {
    writeFileSync(folder.file("kept.json"), "old");
    symlinkSync("kept.json", folder.file("link.json"));
    await replace(folder.file("link.json"), "new");
    expect(readFileSync(folder.file("kept.json"), "utf8")).toBe("new");
    expect(readlinkSync(folder.file("link.json"))).toBe("kept.json");
  });

  it("is created at the target of a dangling link", async () => {
    symlinkSync("next.json", folder.file("first.json"));
    symlinkSync("made.json", folder.file("next.json"));
    await replace(folder.file("first.json"), "new");
    expect(readFileSync(folder.file("made.json"), "utf8")).toBe("new");
    expect(readlinkSync(folder.file("first.json"))).toBe("next.json");
  });

  it.each([
    ["its folder allows no new file", { of: "open", code: "EACCES" }],
    ["its folder is read-only", { of: "open", code: "EROFS" }],
    ["it is a mount point", { of: "rename", code: "EBUSY" }],
    ["it is on another disk than its folder", { of: "rename", code: "EXDEV" }],
  ] as const)("is overwritten in place if %s", async (_where, refusal) => {
    const file = folder.file("mcp.lock");
    writeFileSync(file, "old and longer");
    const { ino } = statSync(file);
    disk.refusal = refusal;
    await replace(file, "new");
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(folder.path)).toEqual(["mcp.lock"]);
    await expect(replace(folder.file("none"), "x")).rejects.toThrow(
      `(${refusal.code}); check that it is writable`,
    );
  });

  it.skipIf(process.platform === "win32")("is overwritten in place if another user owns it", async () => {
    const file = folder.file("shared.json");
    writeFileSync(file, "old");
    const { ino } = statSync(file);
    disk.isOfSomebodyElse = true;
    await replace(file, "new");
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).ino).toBe(ino);
  });

  it("is left unchanged if it is not writable", async () => {
    const file = folder.file("generated.d.ts");
    writeFileSync(file, "precious");
    // The refusal is simulated: the user who runs the tests may be root.
    disk.refusal = { of: "access", code: "EACCES" };
    await expect(replace(file, "new")).rejects.toThrow("(EACCES); check that it is writable.");
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  it("is refused with a reason if it cannot be written", async () => {
    mkdirSync(folder.file("folder"));
    await expect(replace(folder.file("folder"), "x")).rejects.toThrow("(EISDIR); name a file.");
    await expect(make(folder.file("none/file"), "x")).rejects.toThrow("(ENOENT); create its folder first.");
  });

  it("is refused even if the thrown value has no text", async () => {
    disk.oddity = Object.create(null);
    const refused = {
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining("(a value without a text);"),
    };
    await expect(make(folder.file("new"), "x")).rejects.toMatchObject(refused);
  });

  it.runIf(process.platform === "linux")("does not replace a device", async () => {
    await replace("/dev/null", "x");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("keeps the old content on a full disk, and names the reason", async () => {
    const file = folder.file("mcp.lock");
    writeFileSync(file, "precious");
    disk.isFull = true;
    await expect(replace(file, "new")).rejects.toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining("(ENOSPC); free some space on its disk."),
    });
    await expect(make(folder.file(".mcp.json"), "new")).rejects.toThrow("(ENOSPC)");
    await expect(make(file, "new")).rejects.toThrow("already exists");
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect(readdirSync(folder.path)).toEqual(["mcp.lock"]);
  });
});
