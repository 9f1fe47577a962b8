import { describe, expect, test } from "vitest";
import { openingError } from "../../src/errors/opening-error.ts";
import { TransportFault } from "../../src/faults.ts";
import { type CommandLaunch, planLaunch } from "../../src/stdio/command.ts";
import { createRandom, randomArgument } from "../random-arguments.ts";

const WINDOWS = { platform: "win32", systemRoot: "C:\\Windows" } as const;
const NPX = "C:\\Program Files\\nodejs\\npx.cmd";

/** The line that `cmd.exe` gets, without the quotes around it. */
function lineOf(args: readonly string[], file = NPX): string {
  const launch = planLaunch(file, args, WINDOWS) as CommandLaunch;
  expect(launch).toMatchObject({ file: "C:\\Windows\\System32\\cmd.exe", isVerbatim: true });
  expect(launch.args.slice(0, -1)).toEqual(["/d", "/e:on", "/v:off", "/s", "/c"]);
  return (launch.args.at(-1) as string).slice(1, -1);
}

describe("planLaunch", () => {
  test.each<[string, NodeJS.Platform, string]>([
    ["a program", "linux", "/usr/bin/npx"],
    ["a file with a batch-file name on Linux", "linux", "/usr/bin/x.cmd"],
    ["a program on Windows", "win32", "C:\\Program Files\\nodejs\\node.exe"],
    ["a program in a folder with a batch-file name", "win32", "C:\\a.cmd\\node.exe"],
  ])("starts %s directly, with its arguments unchanged", (_what, platform, file) => {
    const args = ["-y", "a b", 'say "hi"', "%PATH%", "", "line\nbreak", "& calc"];
    expect(planLaunch(file, args, { ...WINDOWS, platform })).toMatchObject({ file, args, isVerbatim: false });
  });

  test.each(["x.cmd", "x.bat", "x.CMD", "x.BAT", "x.Bat", "x.cmd.", "x.bat ", "x.cmd . .", "x.cmd::$DATA"])(
    "[threat T19] treats C:\\bin\\%s as a batch file and quotes its arguments",
    (name) => {
      expect(lineOf(["&calc"], `C:\\bin\\${name}`)).toBe(`"C:\\bin\\${name}" "&calc"`);
    },
  );

  test.each([
    ["plain words", ["-y", "@scope/server@1.2.3", "a:b", "--x+y"], "-y @scope/server@1.2.3 a:b --x+y"],
    ["an empty argument list", [], ""],
    ["an empty argument", [""], '""'],
    ["a space", ["a b"], '"a b"'],
    ["argument separators", ["a,b", "a;b", "a=b", "a\tb"], '"a,b" "a;b" "a=b" "a\tb"'],
    ["an ampersand", ["a&calc"], '"a&calc"'],
    ["a pipe", ["a|calc"], '"a|calc"'],
    ["redirections", ["<in", ">out"], '"<in" ">out"'],
    ["a caret", ["^&calc"], '"^&calc"'],
    ["brackets", ["(a)", "[b]", "{c}"], '"(a)" "[b]" "{c}"'],
    ["an exclamation mark", ["!PATH!"], '"!PATH!"'],
    ["an apostrophe", ["it's"], '"it\'s"'],
    ["a variable", ["%PATH%"], '"%%cd:~,%PATH%%cd:~,%"'],
    ["a percent sign", ["100%"], '"100%%cd:~,%"'],
    ["a quote", ['"'], '""""'],
    ["a quote that would let a command escape", ['"&calc&"'], '"""&calc&"""'],
    ["a backslash before a quote", ['a\\"&calc'], '"a\\\\""&calc"'],
    ["two backslashes before a quote", ['a\\\\"b'], '"a\\\\\\\\""b"'],
    ["a backslash at the end", ["C:\\dir\\"], '"C:\\dir\\\\"'],
    ["a backslash inside", ["C:\\dir"], '"C:\\dir"'],
    ["non-ASCII letters", ["zeit-é", "日本", "🎹"], '"zeit-é" "日本" "🎹"'],
  ])("[threat T19] encodes %s for a batch file", (_what, args, expected) => {
    expect(lineOf(args)).toBe([`"${NPX}"`, expected].join(" ").trimEnd());
  });

  test.each(["a\nb", "a\r", "\r\n", "a\0b"])("[threat T19] refuses to pass %j to a batch file", (arg) => {
    expect(planLaunch(NPX, ["-y", arg], WINDOWS)).toEqual({ fault: "line-break" });
  });

  test("[threat T19] refuses a batch file whose path cannot be quoted", () => {
    expect(planLaunch('C:\\a" & calc & "\\x.cmd', [], WINDOWS)).toEqual({ fault: "unusable-path" });
    expect(lineOf([], "C:\\%PATH%\\x & y.cmd")).toBe('"C:\\%%cd:~,%PATH%%cd:~,%\\x & y.cmd"');
  });

  test("refuses a command line that is too long for cmd.exe", () => {
    expect(planLaunch(NPX, ["x".repeat(9000)], WINDOWS)).toEqual({ fault: "too-long" });
    expect(planLaunch("C:\\node.exe", ["x".repeat(9000)], WINDOWS)).not.toHaveProperty("fault");
  });

  test.each([NPX, "C:\\nodejs\\node.exe"])(
    "[threat T18] keeps %s from looking up commands in the working directory",
    (file) => {
      expect(planLaunch(file, [], WINDOWS)).toMatchObject({
        env: { NoDefaultCurrentDirectoryInExePath: "1" },
      });
    },
  );

  test("[threat T19] 5,000 generated arguments survive parsing by cmd.exe and by the program", () => {
    const random = createRandom(19);
    const pieces = [
      '"',
      '""',
      "%",
      "%PATH%",
      "%cd:~,%",
      "^",
      "&calc",
      "|",
      "<",
      ">",
      "(",
      ")",
      "!",
      "\\",
      "\\\\",
    ];
    for (let round = 0; round < 1000; round += 1) {
      const args = Array.from({ length: 5 }, () => randomArgument(random, pieces).replace(/[\r\n]/g, ""));
      expect(parseLikeWindows(lineOf(args))).toEqual(args);
    }
  });
});

describe("the error for a batch file that cannot be started", () => {
  test.each([
    ["line-break", 'cannot take an argument with a line break. Correct "args"'],
    ["too-long", 'command line would be too long. Shorten "args"'],
    ["unusable-path", 'path cannot be quoted. Correct "command"'],
  ] as const)("says how to fix %s", (reason, advice) => {
    const server = { transport: "stdio", name: "s", command: "npx", args: [], env: {}, secrets: [] } as const;
    const fault = new TransportFault({ kind: "launch-refused", reason });
    const error = openingError(fault, { server, facts: {}, connectTimeoutMs: 1 });
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "spawn", server: "s" });
    expect(error.message).toContain(advice);
  });
});

/** The arguments that a program gets from a batch file `"program.exe" %*` if `cmd.exe` runs this line: a model of both parsers. */
function parseLikeWindows(line: string): string[] {
  const expanded = expandPercents(line, { PATH: 'C:\\evil" & calc', cd: "C:\\project" });
  expectNoActiveCharacters(expanded);
  const script = /^"[^"]*"/.exec(expanded)?.[0] as string;
  const second = `"program.exe"${expanded.slice(script.length)}`;
  expectNoActiveCharacters(second); // `%*` is inserted after percent signs were expanded
  return splitLikeCRuntime(second).slice(1);
}

/** `%NAME%` and `%NAME:~from,length%` are replaced; a `%` that begins no variable stays, and parsing continues after it. */
function expandPercents(line: string, variables: { readonly [name: string]: string }): string {
  const reference = /%([^%:]*)(?::~(-?\d*)(?:,(-?\d*))?)?%/y;
  let expanded = "";
  for (let at = 0; at < line.length; ) {
    reference.lastIndex = at;
    const [whole, name = "", from, length] = reference.exec(line) ?? [];
    const value = variables[name];
    if (whole === undefined || value === undefined) {
      expanded += line[at];
      at += 1;
    } else {
      const start = Number(from);
      expanded += from === undefined ? value : value.slice(start, start + Number(length));
      at += whole.length;
    }
  }
  return expanded;
}

/** Outside quotes, there may be no character that `cmd.exe` acts on. A quote always toggles. */
function expectNoActiveCharacters(line: string): void {
  const unquoted = line
    .split('"')
    .filter((_, index) => index % 2 === 0)
    .join("");
  expect(unquoted).not.toMatch(/[&|<>^()%!\r\n]/);
  expect(line.split('"').length % 2).toBe(1);
}

/** How the C runtime of Windows splits a command line. */
function splitLikeCRuntime(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; ) {
    const [backslashes = ""] = /^\\*/.exec(line.slice(at)) as RegExpExecArray;
    at += backslashes.length;
    const isBeforeQuote = line[at] === '"';
    const kept = isBeforeQuote ? "\\".repeat(Math.floor(backslashes.length / 2)) : backslashes;
    if (kept !== "" || isBeforeQuote) current = (current ?? "") + kept;
    if (isBeforeQuote && backslashes.length % 2 === 1) {
      current += '"';
    } else if (isBeforeQuote && isQuoted && line[at + 1] === '"') {
      current += '"';
      at += 1;
    } else if (isBeforeQuote) {
      isQuoted = !isQuoted;
    } else if (at < line.length && !isQuoted && /[ \t]/.test(line[at] as string)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else if (at < line.length) {
      current = (current ?? "") + line[at];
    }
    at += 1;
  }
  if (current !== undefined) args.push(current);
  return args;
}
