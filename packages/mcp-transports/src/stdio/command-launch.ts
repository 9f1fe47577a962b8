/** How a file is started, without a shell that could interpret its arguments. */
export interface CommandLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are passed on as they are, because they are quoted already. */
  readonly isVerbatim: boolean;
  /** Changes to the child's environment; `undefined` removes a variable. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
}

/** Why a file cannot be started with these arguments. */
export type LaunchFault = "line-break" | "too-long" | "unusable-path";

/** The longest line that `cmd.exe` reads, in characters. */
const LONGEST_LINE = 8191;

/** The file system ignores trailing dots, spaces and stream names, so `x.cmd.` and `x.cmd::$DATA` are batch files too. */
const BATCH_FILE = /\.(?:bat|cmd)[. ]*(?::.*)?$/is;

/** Needs no quotes, and gets none: some batch files compare their arguments with bare words. */
const PLAIN_ARGUMENT = /^[A-Za-z0-9_.:/@+-]+$/;

/** `cmd.exe` reads this as one `%` that begins no variable: the sign, and an empty substring of the working directory. */
const LITERAL_PERCENT = "%%cd:~,%";

/**
 * Decides how a file is started. Only a batch file on Windows, such as `npx.cmd`, needs more than itself: `cmd.exe`, which
 * splits and expands the line by rules of its own (threat T19, CVE-2024-27980). Its arguments are quoted here so that they
 * survive being read twice, by `cmd.exe` and by the program behind the batch file. Line breaks and NUL cannot be quoted.
 * `cmd.exe` also looks into the working directory first unless a variable forbids it (threat T18).
 */
export function planLaunch(
  file: string,
  args: readonly string[],
  { platform, systemRoot }: { readonly platform: NodeJS.Platform; readonly systemRoot: string },
): CommandLaunch | { readonly fault: LaunchFault } {
  if (platform !== "win32" || !BATCH_FILE.test(file)) return { file, args, isVerbatim: false };
  if (args.some((arg) => /[\0\r\n]/.test(arg))) return { fault: "line-break" };
  if (/["\0\r\n]|\\$/.test(file)) return { fault: "unusable-path" };
  const script = `"${withoutExpansion(file)}"`;
  const line = [script, ...args.map(quoteForBatchFile)].join(" ");
  if (line.length > LONGEST_LINE) return { fault: "too-long" };
  return {
    file: `${systemRoot}\\System32\\cmd.exe`,
    // No AutoRun command, extensions on, `!` is no variable, and the outer quotes are taken away whatever is inside.
    args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`],
    isVerbatim: true,
    env: { NoDefaultCurrentDirectoryInExePath: "1" },
  };
}

/**
 * A quote is doubled: programs read it as one, and `cmd.exe` counts two more, so it still takes what follows for quoted.
 * Backslashes are doubled before a quote only, as the C runtime of Windows reads them.
 */
function quoteForBatchFile(arg: string): string {
  if (PLAIN_ARGUMENT.test(arg)) return arg;
  // A run of backslashes is matched only from its beginning. Otherwise a long run would be matched again from each of them.
  const escaped = arg.replace(/(?<!\\)(\\*)"/g, '$1$1""').replace(/(?<!\\)\\+$/, "$&$&");
  return `"${withoutExpansion(escaped)}"`;
}

function withoutExpansion(text: string): string {
  return text.replaceAll("%", LITERAL_PERCENT);
}
