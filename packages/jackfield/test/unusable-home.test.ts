import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

const run = promisify(execFile);
const HOMELESS_PROCESS = fileURLToPath(new URL("./fixtures/homeless-process.mjs", import.meta.url));
const SERVERS = { a: stdioFaultServer(), b: stdioFaultServer() };
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

interface Heard {
  readonly status: readonly string[];
  /** Warnings with their reasons. */
  readonly warnings: readonly string[];
}

/** Opens two servers and calls a tool of each. */
async function openAt(home: string): Promise<Heard> {
  vi.stubEnv("JACKFIELD_HOME", home);
  const warnings: string[] = [];
  const log = (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void (level === "warn" && warnings.push(`${message} ${fields.reason ?? ""}`));
  await using mcp = await openMcp({ discover: false, servers: SERVERS, log });
  await Promise.all(["a", "b"].map((server) => mcp.refreshTools(server)));
  return { status: mcp.servers().map(({ status }) => status), warnings };
}

/** The same in a process of its own. */
async function openInProcess(home: string, { prefix = [], ...options }: Options = {}): Promise<Heard> {
  const [command = "", ...args] = [...prefix, process.execPath, HOMELESS_PROCESS, JSON.stringify(SERVERS)];
  const env = { ...process.env, JACKFIELD_HOME: home };
  const { stdout } = await run(command, args, { env, ...options });
  return JSON.parse(stdout);
}

interface Options {
  readonly prefix?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** One warning, with the place and why. */
const warned = (home: string, why: string) => ({
  status: ["ready", "ready"],
  warnings: [expect.stringMatching(new RegExp(`lasts only as long as this process\\. ${home}.*${why}`))],
});

describe("a JACKFIELD_HOME", () => {
  it.each([["new"], ["a/b/c"]])("that is missing is made, without a warning: %s", async (name) => {
    const home = join(folder.path, name);
    expect(await openAt(home)).toEqual({ status: ["ready", "ready"], warnings: [] });
    expect(existsSync(join(home, "cache", "catalog.sqlite"))).toBe(true);
  });

  it.each([["file"], ["file/below"]])("that is a file, or below one, costs one warning: %s", async (name) => {
    writeFileSync(join(folder.path, "file"), "");
    const home = join(folder.path, name);
    expect(await openAt(home)).toEqual(warned(home, "ENOTDIR"));
  });

  // Nobody may write there, not even root.
  it.skipIf(process.platform !== "linux")("that cannot be written by anybody costs one warning", async () => {
    expect(await openAt("/sys")).toEqual(warned("/sys", "(EPERM|EACCES|EROFS)"));
    expect(await openAt("/sys/missing/home")).toEqual(warned("/sys", "(EPERM|EACCES|EROFS|ENOENT)"));
  });

  it.skipIf(process.platform === "win32")(
    "of another user, or without the right to write, costs one warning",
    async () => {
      const home = join(folder.path, "home");
      mkdirSync(home);
      chmodSync(folder.path, 0o755);
      chmodSync(home, 0o555);
      const other = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
      expect(await openInProcess(home, other)).toEqual(warned(home, "EACCES"));
    },
  );

  it("on a full disk costs one warning, whether the catalog is there or not", async ({ skip }) => {
    const home = join(folder.path, "home");
    mkdirSync(home);
    const within = (...steps: string[]) => [
      "unshare",
      "-rm",
      "sh",
      "-c",
      [...steps, 'exec "$@"'].join(" && "),
      "sh",
    ];
    const mounted = [`mount -t tmpfs -o size=400k tmpfs "${home}"`, `cd "${home}"`];
    const filled = "{ dd if=/dev/zero of=fill bs=1k count=500 2>/dev/null || true; }";
    const [command = "", ...args] = within(...mounted);
    if (
      !(await run(command, [...args, "true"]).then(
        () => true,
        () => false,
      ))
    )
      skip("no file system can be mounted here");
    expect(await openInProcess(home, { prefix: within(...mounted, filled) })).toEqual(warned(home, "ENOSPC"));
    const known = `'${process.execPath}' '${HOMELESS_PROCESS}' '${JSON.stringify(SERVERS)}' >/dev/null`;
    const prefix = within(...mounted, known, "test -f cache/catalog.sqlite", filled);
    expect(await openInProcess(home, { prefix })).toEqual(warned(home, "full"));
  });
});
