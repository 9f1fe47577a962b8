import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Logger, silentLogger } from "@jackfield/mcp-core";
import { PrivateFolder, tryFileLock } from "@jackfield/mcp-core/node";
import { describe, expect, test } from "vitest";
import { readIdentityKey as readKeyOf } from "../src/identity-key.ts";
import { isBusy } from "../src/lock-queue.ts";
import { recordingLogger, temporaryDirectory } from "./catalog-samples.ts";
import { startFixture } from "./child-process.ts";

const readIdentityKey = (directory: string, log: Logger) => readKeyOf(new PrivateFolder(directory), log);

const posix = process.platform !== "win32";

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("the identity key of a directory", () => {
  test("is 32 bytes, created once, and the only file left", () => {
    const directory = temporaryDirectory();
    const key = readIdentityKey(directory, silentLogger);
    expect(key).toHaveLength(32);
    expect(readIdentityKey(directory, silentLogger)).toEqual(key);
    expect(readdirSync(directory)).toEqual(["identity.key"]);
  });

  test("is the one that another process slowly repairs", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "identity.key"), "short");
    const child = startFixture("repairing-process", [directory]);
    const exit = once(child, "exit");
    await once(child, "message");
    expect(readIdentityKey(directory, silentLogger)).toEqual(Buffer.alloc(32, 7));
    await exit;
  });

  test("fails as busy while another repair does not end", () => {
    const directory = temporaryDirectory();
    const file = join(directory, "identity.key");
    writeFileSync(file, "short");
    using lock = tryFileLock(join(directory, "repair.lock"));
    expect(lock).toBeDefined();
    expect(isBusy(errorOf(() => readIdentityKey(directory, silentLogger)))).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("short");
  });

  test("is not created after an error that is no lock", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "identity.key"), "short");
    const full = new Error("no space left for the log");
    const log = () => {
      throw full;
    };
    expect(errorOf(() => readIdentityKey(directory, log))).toBe(full);
    expect(readdirSync(directory)).not.toContain("identity.key");
  });

  test("differs from the key of another directory", () => {
    expect(readIdentityKey(temporaryDirectory(), silentLogger)).not.toEqual(
      readIdentityKey(temporaryDirectory(), silentLogger),
    );
  });

  test.runIf(posix)("is replaced by a private one if others could read it", () => {
    const directory = temporaryDirectory();
    const file = join(directory, "identity.key");
    writeFileSync(file, new Uint8Array(32).fill(7), { mode: 0o644 });
    const key = readIdentityKey(directory, silentLogger);
    expect(key).not.toEqual(Buffer.alloc(32, 7));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readIdentityKey(directory, silentLogger)).toEqual(key);
  });

  test.each([0, 31, 33])("is replaced if it has %i bytes, with one warning", (length) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "identity.key"), new Uint8Array(length));
    const { log, lines } = recordingLogger();
    const key = readIdentityKey(directory, log);
    expect(key).toHaveLength(32);
    expect(readIdentityKey(directory, log)).toEqual(key);
    expect(lines).toEqual([expect.stringMatching(/was replaced.*identity\.key/)]);
    expect(readdirSync(directory).sort()).toEqual(["identity.key", "repair.lock"]);
  });

  test.runIf(posix)("is never read or written through a symlink", () => {
    const directory = temporaryDirectory();
    const target = join(temporaryDirectory(), "elsewhere");
    writeFileSync(target, new Uint8Array(32).fill(9));
    symlinkSync(target, join(directory, "identity.key"));
    expect(readIdentityKey(directory, silentLogger)).not.toEqual(Buffer.alloc(32, 9));
    expect(lstatSync(join(directory, "identity.key")).isFile()).toBe(true);
    expect(readFileSync(target)).toEqual(Buffer.alloc(32, 9));
  });

  test.runIf(posix)("is created in the directory itself in place of a dangling symlink", () => {
    const directory = temporaryDirectory();
    const target = join(temporaryDirectory(), "nothing");
    symlinkSync(target, join(directory, "identity.key"));
    expect(readIdentityKey(directory, silentLogger)).toHaveLength(32);
    expect(existsSync(target)).toBe(false);
  });

  test("is not stored where a folder is in its place, and the folder stays", () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "identity.key"));
    expect(errorOf(() => readIdentityKey(directory, silentLogger))).toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining("identity.key is not a file"),
    });
    expect(statSync(join(directory, "identity.key")).isDirectory()).toBe(true);
  });
});
