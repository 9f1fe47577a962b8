import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { addFile, PrivateFolder, replaceFile } from "../../src/node.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const UMASK_PROCESS = fileURLToPath(new URL("./fixtures/umask-process.ts", import.meta.url));
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
const refusal = (text: string) =>
  expect.objectContaining({ code: "MCP_STORAGE_FAILED", message: expect.stringContaining(text) });

function textOf(folder: PrivateFolder, name: string): string | undefined {
  const found = folder.read(name);
  return found.kind === "file" ? found.bytes.toString() : undefined;
}

describe.runIf(process.getuid)("a private folder", () => {
  it.each(["000", "022", "077", "277", "777"])(
    "is the owner's alone, with all folders above it that it creates and all files, under the umask %s",
    (umask) => {
      const outer = join(temporaryFolder(), "outer");
      const folder = join(outer, "inner", "folder");
      // Root may write wherever it likes, so another user does it.
      const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
      if (isRoot) chownSync(join(outer, ".."), NOBODY, NOBODY);
      execFileSync(process.execPath, [UMASK_PROCESS, folder, umask], { ...user, env: {} });
      for (const path of [outer, join(outer, "inner"), folder]) expect(modeOf(path), path).toBe("700");
      expect(readdirSync(folder).sort()).toEqual(["added", "created", "replaced"]);
      for (const name of readdirSync(folder)) expect(modeOf(join(folder, name)), name).toBe("600");
    },
  );

  it.each([0o777, 0o770, 0o755, 0o701])("is refused if others have any access: mode %o", (mode) => {
    const path = temporaryFolder();
    chmodSync(path, mode);
    const folder = new PrivateFolder(path);
    for (const act of ["prepare", "exists", "names"] as const)
      expect(() => folder[act]()).toThrow(refusal("chmod 700"));
    expect(() => folder.replace("file", "text")).toThrow(refusal("chmod 700"));
    expect(() => folder.add("file", "text")).toThrow(refusal("chmod 700"));
    expect(() => folder.create("file")).toThrow(refusal("chmod 700"));
    expect(readdirSync(path)).toEqual([]);
    expect(modeOf(path)).toBe(mode.toString(8));
  });

  it("that others may read is accepted if they may not write, where that is wanted", () => {
    const path = temporaryFolder();
    const link = join(temporaryFolder(), "link");
    symlinkSync(path, link);
    for (const place of [path, link]) {
      const folder = new PrivateFolder(place, { readableByOthers: true });
      chmodSync(path, 0o755);
      folder.replace("file", "text");
      expect(modeOf(path)).toBe("755");
      expect(modeOf(join(path, "file"))).toBe("600");
      chmodSync(path, 0o775);
      expect(() => folder.prepare()).toThrow(refusal("chmod 700"));
    }
  });

  it("is refused if it is a link, even one that leads nowhere, or a file", () => {
    const [path, outer] = [temporaryFolder(), temporaryFolder()];
    const link = join(outer, "link");
    symlinkSync(path, link);
    expect(() => new PrivateFolder(link).prepare()).toThrow(refusal("it is a link"));
    const loose = join(outer, "loose");
    symlinkSync("/nonexistent-jackfield/folder", loose);
    expect(() => new PrivateFolder(loose).prepare()).toThrow(refusal("it is a link"));
    expect(() => new PrivateFolder(join(loose, "a", "b"), { readableByOthers: true }).prepare()).toThrow(
      refusal("ENOENT"),
    );
    expect(existsSync("/nonexistent-jackfield")).toBe(false);
    writeFileSync(join(outer, "file"), "");
    expect(() => new PrivateFolder(join(outer, "file")).prepare()).toThrow(refusal("it is not a folder"));
    const beneath = new PrivateFolder(join(outer, "file", "a"));
    expect(() => beneath.prepare()).toThrow(refusal("ENOTDIR"));
    expect(() => beneath.remove("file")).toThrow(refusal("ENOTDIR"));
  });

  it.runIf(isRoot)("is refused if it belongs to another user", () => {
    const path = temporaryFolder();
    chownSync(path, NOBODY, NOBODY);
    for (const readableByOthers of [false, true])
      expect(() => new PrivateFolder(path, { readableByOthers }).prepare()).toThrow(
        refusal("belongs to another user"),
      );
  });

  it("is not created to look into it", () => {
    const path = join(temporaryFolder(), "missing");
    const folder = new PrivateFolder(path);
    expect(folder.exists()).toBe(false);
    expect(folder.names()).toEqual([]);
    expect(folder.read("file")).toEqual({ kind: "none" });
    expect(folder.inspect("file")).toBeUndefined();
    folder.remove("file");
    expect(existsSync(path)).toBe(false);
  });
});

/** What can be in the place of a file, and why it is not used. */
const INTRUDERS: readonly [what: string, why: string, place: (path: string) => void][] = [
  ["a link to a file", "it is a link", (path) => placeLink(path)],
  ["a link that leads nowhere", "it is a link", (path) => symlinkSync("/nowhere", path)],
  ["a folder", "it is not a file", (path) => mkdirSync(path)],
  ["a pipe without a writer", "it is not a file", (path) => void execFileSync("mkfifo", [path])],
  ["a file that others can write to", "other users can write to it", (path) => placeOpen(path, 0o622)],
];

function placeLink(path: string): void {
  writeFileSync(`${path}.real`, "planted", { mode: 0o600 });
  symlinkSync(`${path}.real`, path);
}

function placeOpen(path: string, mode: number): void {
  writeFileSync(path, "planted");
  chmodSync(path, mode);
}

describe.runIf(process.getuid)("a private file", () => {
  it.each(INTRUDERS)("is not read from %s", (_what, why, place) => {
    const folder = new PrivateFolder(temporaryFolder());
    place(folder.pathOf("file"));
    expect(folder.read("file")).toMatchObject({ kind: "unusable", why });
    expect(folder.open("file")).toMatchObject({ kind: "unusable", why });
    const fault = folder.read("file");
    expect(folder.inspect("file")?.fault).toBe(fault.kind === "unusable" && fault.fault);
    expect(() => folder.create("file")).toThrow(refusal("EEXIST"));
    expect(folder.add("file", "new")).toBe(false);
    if (lstatSync(folder.pathOf("file")).isDirectory()) return;
    folder.replace("file", "new");
    expect(textOf(folder, "file")).toBe("new");
    expect(modeOf(folder.pathOf("file"))).toBe("600");
    if (existsSync(folder.pathOf("file.real")))
      expect(readFileSync(folder.pathOf("file.real"), "utf8")).toBe("planted");
  });

  it.runIf(isRoot)("is not read if it belongs to another user", () => {
    const folder = new PrivateFolder(temporaryFolder());
    folder.replace("file", "text");
    chownSync(folder.pathOf("file"), NOBODY, NOBODY);
    const why = "it belongs to another user";
    expect(folder.read("file")).toMatchObject({ kind: "unusable", fault: "othersOwn", why });
    expect(folder.inspect("file")).toMatchObject({ fault: "othersOwn" });
  });

  it("that others could read is read, told and made private", () => {
    const folder = new PrivateFolder(temporaryFolder());
    for (const look of ["read", "inspect"] as const) {
      folder.replace("file", "text");
      chmodSync(folder.pathOf("file"), 0o644);
      expect(folder[look]("file")).toMatchObject({ wasReadable: true });
      expect(modeOf(folder.pathOf("file"))).toBe("600");
      expect(folder[look]("file")).toMatchObject({ wasReadable: false });
    }
  });

  it("that another process removes while it is looked at is missing", () => {
    const fileSystem = process.getBuiltinModule("node:fs");
    const folder = new PrivateFolder(temporaryFolder());
    folder.replace("file", "text");
    chmodSync(folder.pathOf("file"), 0o644);
    const { chmodSync: change } = fileSystem;
    using _ = vi.spyOn(fileSystem, "chmodSync").mockImplementation((path, mode) => {
      rmSync(path, { force: true });
      change(path, mode);
    });
    expect(folder.inspect("file")).toBeUndefined();
  });

  it("is not read if it is larger than 1 MiB", () => {
    const folder = new PrivateFolder(temporaryFolder());
    folder.replace("file", "x".repeat(1024 * 1024));
    expect(textOf(folder, "file")).toHaveLength(1024 * 1024);
    folder.replace("file", "x".repeat(1024 * 1024 + 1));
    expect(folder.read("file")).toMatchObject({ kind: "unusable", why: "it is too large" });
  });

  it("is there as a whole or not at all, however many want to be the first", () => {
    const folder = new PrivateFolder(temporaryFolder());
    expect([folder.add("file", "first"), folder.add("file", "second")]).toEqual([true, false]);
    expect(textOf(folder, "file")).toBe("first");
    expect(folder.names()).toEqual(["file"]);
    folder.move("file", "aside");
    expect(folder.names()).toEqual(["aside"]);
  });

  it("is added once on a file system without hard links", () => {
    const fileSystem = process.getBuiltinModule("node:fs");
    using _ = vi.spyOn(fileSystem, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "EPERM" });
    });
    const folder = new PrivateFolder(temporaryFolder());
    expect([folder.add("file", "first"), folder.add("file", "second")]).toEqual([true, false]);
    expect(textOf(folder, "file")).toBe("first");
    expect(modeOf(folder.pathOf("file"))).toBe("600");
  });

  it("is not touched by a write that fails, which leaves nothing behind", () => {
    const folder = new PrivateFolder(temporaryFolder());
    folder.replace("file", "text");
    const command = `ulimit -f 1; exec "$@"`;
    const script = `
      import { PrivateFolder } from ${JSON.stringify(new URL("../../src/node.ts", import.meta.url).href)};
      process.on("SIGXFSZ", () => {});
      try { new PrivateFolder(${JSON.stringify(folder.path)}).replace("file", "x".repeat(1e6)); }
      catch (error) { process.stdout.write(error.code + " " + error.message); }`;
    const said = execFileSync(
      "/bin/sh",
      ["-c", command, "sh", process.execPath, "--input-type=module", "-e", script],
      // What Node.js would write itself has the limit as well.
      { encoding: "utf8", env: { ...process.env, NODE_COMPILE_CACHE: undefined } },
    );
    expect(said).toMatch(/^MCP_STORAGE_FAILED .*EFBIG/);
    expect(textOf(folder, "file")).toBe("text");
    expect(readdirSync(folder.path)).toEqual(["file"]);
  });

  it("of a killed writer is never listed, and is removed a minute later, or at once if nobody else writes", () => {
    const path = temporaryFolder();
    const folder = new PrivateFolder(path);
    const [old, fresh, stranger] = ["file.0badcafe.draft", "file.12345678.draft", "notes.draft"];
    for (const name of [old, fresh, stranger]) writeFileSync(join(path, name ?? ""), "half");
    const beforeAMinute = (Date.now() - 61_000) / 1000;
    for (const name of [old, stranger]) utimesSync(join(path, name ?? ""), beforeAMinute, beforeAMinute);
    expect(folder.names()).toEqual([stranger]);
    folder.replace("other", "text");
    expect(readdirSync(path).sort()).toEqual([fresh, stranger, "other"].sort());
    const inASecond = (Date.now() + 1_000) / 1000;
    utimesSync(join(path, fresh ?? ""), inASecond, inASecond);
    new PrivateFolder(path, { draftLifetimeMs: 0 }).remove("other");
    expect(readdirSync(path)).toEqual([stranger]);
  });
});

describe("a whole file", () => {
  it("keeps the mode that it is given, whatever the umask is, and follows no link", () => {
    const folder = temporaryFolder();
    const file = join(folder, "settings.json");
    replaceFile(file, "one", { mode: 0o664 });
    if (process.getuid) expect(modeOf(file)).toBe("664");
    expect(addFile(file, "two")).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("one");
    const link = join(folder, "link");
    symlinkSync(file, link);
    replaceFile(link, "three");
    expect([readFileSync(file, "utf8"), readFileSync(link, "utf8")]).toEqual(["one", "three"]);
    expect(statSync(link).isFile()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["link", "settings.json"]);
  });

  it("throws the system's error if it cannot be written", () => {
    const missing = join(temporaryFolder(), "missing", "file");
    expect(() => replaceFile(missing, "text")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(() => addFile(missing, "text")).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});
