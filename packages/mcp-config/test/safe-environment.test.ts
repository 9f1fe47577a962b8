import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { childEnvironment, layEnvironment } from "../src/resolve/safe-environment.ts";

const JUNK = Object.fromEntries(
  Array.from({ length: 500 }, (_, index) => [`JUNK_${index}`, `value ${index}`]),
);

describe("layEnvironment", () => {
  test("merges two sets and prefers the first one's values", () => {
    expect(layEnvironment({ A: "1", B: "" }, { B: "2", C: "3", D: undefined }, "linux")).toEqual({
      A: "1",
      B: "",
      C: "3",
    });
    expect(layEnvironment({ path: "own" }, { PATH: "file" }, "linux")).toEqual({ path: "own", PATH: "file" });
    expect(layEnvironment({ path: "own" }, { PATH: "file" }, "win32")).toEqual({ path: "own" });
  });
});

describe("childEnvironment", () => {
  test.each([
    ["linux", ["HOME", "LANG", "LC_ALL", "PATH", "SHELL", "TERM", "TMPDIR", "USER", "XDG_CACHE_HOME"]],
    ["win32", ["APPDATA", "ComSpec", "Path", "PATHEXT", "SystemRoot", "TEMP", "USERPROFILE"]],
  ] as const)(
    "[threat T15] passes only the safe variables and the declared one of 500 on %s",
    (platform, safe) => {
      const parent = { ...JUNK, ...Object.fromEntries(safe.map((name) => [name, `its ${name}`])) };
      const env = childEnvironment(parent, false, { DECLARED: "yes" }, platform);
      expect(Object.keys(env).sort()).toEqual([...safe, "DECLARED"].sort());
    },
  );

  test("[A3] gives a child process only the safe and the declared variables", () => {
    const parent = {
      ...JUNK,
      PATH: "/usr/bin",
      HOME: "/home/ada",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      LC_API_KEY: "smuggled",
      ANTHROPIC_API_KEY: "planted",
      NODE_OPTIONS: "--no-warnings",
    };
    const env = childEnvironment(parent, false, { DECLARED: "yes" }, "linux");
    const script = "process.stdout.write(JSON.stringify(process.env))";
    const seen = JSON.parse(execFileSync(process.execPath, ["-e", script], { env, encoding: "utf8" }));
    expect(seen).toEqual({
      PATH: "/usr/bin",
      HOME: "/home/ada",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      DECLARED: "yes",
    });
  });

  test("reads only the wanted names of the parent and never enumerates it", () => {
    const asked: string[] = [];
    const parent = new Proxy<{ [name: string]: string }>(
      { HOME: "/h", A: "1", ANTHROPIC_API_KEY: "planted" },
      {
        ownKeys: () => {
          throw new Error("walked through");
        },
        get: (target, name: string) => {
          asked.push(name);
          return target[name];
        },
      },
    );
    expect(childEnvironment(parent, ["A"], { OWN: "x" }, "linux")).toEqual({ HOME: "/h", A: "1", OWN: "x" });
    expect(asked).not.toContain("ANTHROPIC_API_KEY");
  });

  test("leaves out exported shell functions even if everything is inherited", () => {
    const parent = { HOME: "() { evil; }", X: "() { evil; }", Y: "kept" };
    expect(childEnvironment(parent, true, {}, "linux")).toEqual({ Y: "kept" });
  });

  test("inheritEnv adds everything, or only the listed names", () => {
    const parent = { A: "1", B: "2", C: undefined, HOME: "/h" };
    expect(childEnvironment(parent, true, {}, "linux")).toEqual({ A: "1", B: "2", HOME: "/h" });
    expect(childEnvironment(parent, ["B", "C", "toString"], {}, "linux")).toEqual({ B: "2", HOME: "/h" });
    expect(childEnvironment(parent, [], {}, "linux")).toEqual({ HOME: "/h" });
  });

  test("the entry's variables beat the inherited ones", () => {
    expect(childEnvironment({ HOME: "/h", A: "1" }, true, { HOME: "/own", A: "" }, "linux")).toEqual({
      HOME: "/own",
      A: "",
    });
  });

  test("ignores the case of names on Windows", () => {
    const parent = { Path: "C:\\Windows", SystemRoot: "C:\\Windows", ComSpec: "cmd", SECRET: "x" };
    expect(childEnvironment(parent, false, { PATH: "C:\\own" }, "win32")).toEqual({
      PATH: "C:\\own",
      SystemRoot: "C:\\Windows",
      ComSpec: "cmd",
    });
  });

  test("distinguishes the case of names on POSIX", () => {
    expect(childEnvironment({ Path: "/x", path: "/y" }, false, {}, "linux")).toEqual({});
  });

  test("[A4] __proto__ is an ordinary name", () => {
    const own = JSON.parse('{"__proto__": "own"}');
    const env = childEnvironment({}, false, own, "linux");
    expect(Object.keys(env)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(env)).toBeNull();
  });
});
