import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { useTemporaryHome } from "./fixture.ts";

const PROGRAM = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));

describe("the compile cache of Node.js", () => {
  const folder = useTemporaryHome();
  const kept = () => folder.file("own/state/compiled");

  /** Runs the program, and says what it has printed. */
  function run(env: NodeJS.ProcessEnv = {}): string {
    const argv = [PROGRAM, "config", "list", "--hosts", "cursor"];
    return execFileSync(process.execPath, argv, {
      env: { ...process.env, NODE_COMPILE_CACHE: undefined, ...env },
      cwd: folder.path,
      encoding: "utf8",
    });
  }

  it("is kept for the next command, and only for the same user", () => {
    const printed = run();
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    const files = readdirSync(kept(), { recursive: true });
    expect(files.length).toBeGreaterThan(1);
    expect(run()).toBe(printed);
    expect(readdirSync(kept(), { recursive: true })).toEqual(files);
  });

  it.each([
    ["others can write to", () => chmodSync(kept(), 0o777)],
    ["is a link", () => swapForLink()],
  ])("is not used in a folder that %s", (_what, spoil) => {
    mkdirSync(kept(), { recursive: true });
    spoil();
    run();
    expect(readdirSync(kept())).toEqual([]);
  });

  it("is skipped without an error if its folder cannot be created", () => {
    expect(run({ JACKFIELD_HOME: "/dev/null/home" })).toBe(run());
  });

  it("is off with NODE_DISABLE_COMPILE_CACHE", () => {
    run({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(existsSync(kept())).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)("is not written to a home that another user owns", () => {
    mkdirSync(folder.file("theirs"));
    chownSync(folder.file("theirs"), 12_345, 12_345);
    run({ JACKFIELD_HOME: folder.file("theirs") });
    expect(readdirSync(folder.file("theirs"))).toEqual([]);
  });

  function swapForLink(): void {
    const elsewhere = folder.file("elsewhere");
    mkdirSync(elsewhere);
    rmdirSync(kept());
    symlinkSync(elsewhere, kept());
  }
});
