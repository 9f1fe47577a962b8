import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqliteToolCache } from "../src/index.ts";
import {
  recordingLogger,
  sampleEntry,
  sampleId,
  sampleServer,
  temporaryDirectory,
} from "./catalog-samples.ts";
import { runFixture } from "./child-process.ts";
import { openCache } from "./open-cache.ts";

const posix = process.platform !== "win32";
const isRoot = process.getuid?.() === 0;
/** A user without privileges: root is allowed everything. */
const NOBODY = 65_534;
const earlier = sampleId("earlier");

/** The report on a catalog in memory: everything works, and no earlier entry is found. */
const WORKING = { before: 0, found: true, listed: 1, left: 0 };

async function use(path: string, options: { condition?: string; prefix?: string; user?: number } = {}) {
  const { condition, ...surroundings } = options;
  const { stdout } = await runFixture(
    "working-process",
    condition ? [path, condition] : [path],
    surroundings,
  );
  return JSON.parse(stdout) as typeof WORKING & { said: string[] };
}

async function expectWorkingInMemory(path: string): Promise<string[]> {
  const { log, lines } = recordingLogger();
  const cache = sqliteToolCache({ path, log });
  const identity = await cache.identify(sampleServer());
  await cache.set(identity.id, sampleEntry());
  expect((await cache.getMany([identity.id])).get(identity.id)).toEqual(sampleEntry());
  expect(await cache.list()).toHaveLength(1);
  expect((await cache.identify(sampleServer())).id).toBe(identity.id);
  await cache.close();
  return lines;
}

/** A directory that holds a closed catalog with one entry. */
async function filledDirectory(directory = temporaryDirectory()): Promise<string> {
  const { cache } = openCache(directory);
  await cache.set(earlier, sampleEntry());
  await cache.close();
  return directory;
}

describe("the catalog works in memory, with one warning, for", () => {
  test("a directory that cannot be created", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(await expectWorkingInMemory(join(file, "cache"))).toEqual([expect.stringContaining("ENOTDIR")]);
  });

  test("a file in place of the directory", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(await expectWorkingInMemory(file)).toHaveLength(1);
  });

  test.runIf(posix)("a dangling symlink in place of the directory", async () => {
    const link = join(temporaryDirectory(), "link");
    symlinkSync("/nonexistent-jackfield/cache", link);
    expect(await expectWorkingInMemory(link)).toHaveLength(1);
    expect(existsSync("/nonexistent-jackfield")).toBe(false);
  });

  test.runIf(posix)("[T73] a directory that others can write to", async () => {
    const directory = join(temporaryDirectory(), "shared");
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    expect(await expectWorkingInMemory(directory)).toEqual([expect.stringContaining("chmod 700")]);
    expect(readdirSync(directory)).toEqual([]);
    expect(statSync(directory).mode & 0o777).toBe(0o777);
  });

  test.runIf(isRoot)("[T73] a directory or a file that belongs to another user", async () => {
    for (const name of ["", "catalog.sqlite", "identity.key"]) {
      const directory = await filledDirectory();
      chownSync(join(directory, name), NOBODY, NOBODY);
      expect(await expectWorkingInMemory(directory)).toEqual([
        expect.stringContaining("belongs to another user"),
      ]);
    }
  });

  test.runIf(posix)("[R64] a read-only directory", async () => {
    const directory = await filledDirectory();
    for (const name of readdirSync(directory)) {
      if (isRoot) chownSync(join(directory, name), NOBODY, NOBODY);
      chmodSync(join(directory, name), 0o400);
    }
    if (isRoot) chownSync(directory, NOBODY, NOBODY);
    chmodSync(directory, 0o500);
    onTestFinished(() => chmodSync(directory, 0o700));
    const { said, ...result } = await use(directory, isRoot ? { user: NOBODY } : {});
    expect(result).toEqual(WORKING);
    expect(said).toEqual([expect.stringContaining("lasts only as long as this process")]);
  });

  test.runIf(posix)("[R64] a process out of file descriptors", async () => {
    const { said, ...result } = await use(temporaryDirectory(), {
      condition: "exhausted",
      prefix: "ulimit -n 64",
    });
    expect(result).toEqual(WORKING);
    expect(said).toEqual([expect.stringMatching(/EMFILE|unable to open/)]);
  });

  test.runIf(posix)("[R64] a disk with too little space, which keeps what fits", async () => {
    const directory = temporaryDirectory();
    // The shell's limit, in blocks of 512 bytes, makes every write beyond it fail as on a full disk.
    const { stdout } = await runFixture("crowded-process", [directory], { prefix: "ulimit -f 300" });
    expectCrowded(JSON.parse(stdout) as Crowded);
    expectPart(await openCache(directory).cache.list());
  });

  test.runIf(posix)("[R64] a disk with no space at all", async () => {
    const { stdout } = await runFixture("crowded-process", [temporaryDirectory()], { prefix: "ulimit -f 0" });
    expectCrowded(JSON.parse(stdout) as Crowded);
  });
});

/** How many of twenty entries a process read back, and what it logged. */
interface Crowded {
  readonly known: number;
  readonly listed: number;
  /** Entries that read back as stale after they were marked. */
  readonly stale: number;
  readonly faults: readonly string[];
}

/** Checks that no entry is missing while the process lives, and that one warning says they end with it. */
function expectCrowded({ faults, ...counts }: Crowded): void {
  expect(counts).toEqual({ known: 20, listed: 20, stale: 20 });
  expect(faults).toEqual([expect.stringContaining("lasts only as long as this process")]);
}

function expectPart({ length }: readonly unknown[]): void {
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(20);
}

describe("a separate file system", () => {
  test.runIf(mayMount())(
    "[R64] that is full keeps what fits, and the rest while the process lives",
    async () => {
      const mount = mountedDirectory("size=200k");
      const { stdout } = await runFixture("crowded-process", [join(mount, "cache")]);
      expectCrowded(JSON.parse(stdout) as Crowded);
      expectPart(await openCache(join(mount, "cache")).cache.list());
    },
  );

  test.runIf(mayMount())(
    "[R64] that is read-only leaves the catalog in memory, with one warning",
    async () => {
      const mount = mountedDirectory("size=1m");
      await filledDirectory(join(mount, "cache"));
      execFileSync("mount", ["-o", "remount,ro", mount]);
      const { said, ...result } = await use(join(mount, "cache"));
      expect(result).toEqual(WORKING);
      expect(said).toHaveLength(1);
    },
  );
});

describe.runIf(posix)("a catalog directory that others could have written", () => {
  test("[T73] has its catalog deleted if the mode is wrong, with one warning", async () => {
    const directory = await filledDirectory();
    const file = join(directory, "catalog.sqlite");
    chmodSync(file, 0o666);
    const { cache, lines } = openCache(directory);
    expect(await cache.getMany([earlier])).toEqual(new Map());
    expect(lines).toEqual([expect.stringContaining("was deleted")]);
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([0o622, 0o644, 0o640])(
    "[T73] has a key with mode %o replaced, and serves nothing sealed with it",
    async (mode) => {
      const directory = await filledDirectory();
      chmodSync(join(directory, "identity.key"), mode);
      const { cache, lines } = openCache(directory);
      expect(await cache.getMany([earlier])).toEqual(new Map());
      expect(lines).toContainEqual(expect.stringContaining("The key of the tool catalog"));
      expect(lstatSync(join(directory, "identity.key")).mode & 0o777).toBe(0o600);
    },
  );

  test("[T73] serves nothing from a catalog copied from another directory", async () => {
    const stranger = await filledDirectory();
    const directory = await filledDirectory();
    copyFileSync(join(stranger, "catalog.sqlite"), join(directory, "catalog.sqlite"));
    const { cache, lines } = openCache(directory);
    expect(await cache.getMany([earlier])).toEqual(new Map());
    expect(lines).toEqual([expect.stringContaining("unreadable catalog entry")]);
  });

  test("is used through a symlink if it is private", async () => {
    const directory = await filledDirectory();
    const link = join(temporaryDirectory(), "link");
    symlinkSync(directory, link);
    expect((await openCache(link).cache.getMany([earlier])).size).toBe(1);
  });
});

/** Mounts a small file system in memory, which needs Linux and root. */
function mountedDirectory(options: string): string {
  const directory = temporaryDirectory();
  execFileSync("mount", ["-t", "tmpfs", "-o", `${options},mode=700`, "tmpfs", directory]);
  onTestFinished(() => void execFileSync("umount", ["-l", directory]));
  return directory;
}

function mayMount(): boolean {
  if (!isRoot || process.platform !== "linux") return false;
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
