import { win32 } from "node:path";
import type { ProgramFile } from "./launch-folder.ts";

/** The words of a text, as a set of names. */
export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/**
 * Programs that take packages, modules, tasks or their own settings from the folder in which they start, or from one above it,
 * whatever their arguments say.
 */
const LAUNCHERS = names(
  [
    // JavaScript
    "npx npm pnpm pnpx pn yarn yarnpkg corepack bun bunx deno tsx ts-node ts-node-esm ts-node-script ts-node-dev vite-node esno esr",
    "jiti babel-node swc-node zx nodemon turbo nx lerna rush grunt gulp node-dev volta fnm nvm electron",
    // Python
    "uv uvx uvw pip pipx pipenv poetry pdm hatch rye pixi conda mamba micromamba tox nox fastmcp ipython invoke fab",
    // Ruby, PHP, Perl, Java, .NET and others
    "gem bundle bundler rake irb thor composer artisan cpan cpanm carton prove dotnet dnx msbuild nuget mvn mvnw gradle gradlew ant sbt",
    "jbang lein clojure clj mill go cargo rustc rustup mix elixir iex rebar3 swift dart flutter zig cabal stack runghc nix nix-shell",
    "nix-build opam dune raco crystal nim nimble scons cmake ctest bazel bazelisk meson ninja r rscript",
    // Task runners, version managers, and what fills the environment from a file of the folder
    "make gmake nmake just task mage direnv devbox devenv mise rtx asdf proto pyenv rbenv nodenv goenv jenv",
    "volta-shim proto-shim aqua aqua-proxy dotenv dotenvx dotenv-cli env-cmd",
    "docker-compose podman-compose vagrant terraform terragrunt tofu pulumi ansible ansible-playbook",
    // the shells of Windows, whose options look like paths
    "cmd powershell pwsh wscript cscript",
  ].join(" "),
);

/** Those of them whose first word, after `run`, is the script. */
const SCRIPT_RUNNERS = names(
  "bun deno tsx ts-node ts-node-esm ts-node-script ts-node-dev vite-node esno esr jiti zx babel-node rscript",
);

/**
 * Interpreters. One that is given its script by an absolute path takes nothing from the folder, unless another option makes it, or it is
 * one of those below: only options that match are known not to.
 */
const INTERPRETERS: { readonly [name: string]: RegExp } = {
  __proto__: null as never,
  ...byNames(
    "node nodejs",
    /^--(?:no-(?:warnings|deprecation)|enable-source-maps|(?:max-old-space-size|stack-trace-limit|trace-warnings)(?:=\d+)?|experimental-strip-types)$/,
  ),
  ...byNames("python pythonw pypy py", /^-(?:[uBEsOqISP]+|\d[\d.-]*)$/),
  ...byNames("sh bash dash ash ksh zsh fish", /^-[eux]+$/),
  ...byNames("java javaw", /^-(?:jar|X(?:mx|ms|ss)\w+)$/),
  ...byNames(
    "ruby jruby perl php php-cli lua luajit texlua julia tclsh wish guile racket groovy kotlin scala awk gawk osascript",
    /^-w$/,
  ),
};

/** Those that look in the folder for what their scripts load, wherever these are. */
const LOOK_IN_FOLDER = names("lua luajit texlua php groovy");

function byNames(list: string, harmless: RegExp): { readonly [name: string]: RegExp } {
  return Object.fromEntries(list.split(" ").map((name) => [name, harmless]));
}

/** Programs that start another one, which their arguments name somewhere. */
const WRAPPERS = names(
  [
    "env nice ionice nohup setsid stdbuf timeout gtimeout time chrt taskset numactl caffeinate arch script unbuffer xvfb-run",
    "dbus-run-session busybox toybox command exec start sudo doas su runuser gosu setpriv chroot unshare nsenter firejail bwrap",
    "systemd-run flatpak-spawn wsl xargs parallel watchexec entr strace ltrace gdb op doppler infisical aws-vault chamber teller sops",
    "envchain cross-env cross-env-shell concurrently supergateway mcp-proxy tini dumb-init catchsegv cpulimit proxychains proxychains4",
    "torsocks rlwrap expect faketime fakeroot conhost rundll32 forfiles",
  ].join(" "),
);

/** Programs only some commands of which read the folder: the others run what is in an image, for example. */
const COMMANDS_IN_FOLDER: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...["docker", "podman", "nerdctl", "finch"].map(
    (name) => [name, names("compose build buildx builder bake stack")] as const,
  ),
  ["mcp", names("run dev")],
]);

/** The name of a program without its folder, extension, version and spelling: `python` for `/usr/bin/python3.12`. */
export function programName(command: string): string {
  const name = win32.basename(command).toLowerCase();
  const bare = name.replace(/\.(?:cmd|exe|bat|ps1|com|[cm]?js|py|rb|phar|jar)$/, "").replace(/-cli$/, "");
  return bare.replace(/(?<=[a-z])-?\d+(?:\.\d+)*t?$/, "") || bare;
}

/** A command line that was filled in, and whoever wrote it. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  /** Whether it was written for the folder it starts in, so that a relative script is meant to be there. */
  readonly isForFolder: boolean;
}

/** Looks at the file that a command stands for; `undefined` if nothing is known of it. */
type LookAt = (command: string) => ProgramFile | undefined;

/**
 * Whether a program takes code, packages or its own settings from the folder in which it starts, as far as its command line tells, and the
 * files that this names. A program that is not known here is taken for one that does not: most servers are such programs, and are meant to
 * work in the folder.
 */
export function takesFromFolder(line: CommandLine, lookAt: LookAt = () => undefined): boolean {
  const seen = new Set<string>();
  return takes(line, (command) => {
    const file = lookAt(command);
    if (file === undefined || seen.has(file.path)) return undefined;
    seen.add(file.path); // A script may name itself.
    return file;
  });
}

function takes({ command, args, isForFolder }: CommandLine, lookAt: LookAt): boolean {
  const words = isWrapper(command, args, isForFolder) ? args.flatMap(wordsIn) : undefined;
  if (words === undefined) return isTaker({ command, args, isForFolder }, lookAt);
  return words.some((word, index) =>
    isTaker({ command: word, args: words.slice(index + 1), isForFolder }, lookAt),
  );
}

/** Whether the program is named somewhere among the arguments, also if the wrapper is itself a script. */
function isWrapper(command: string, args: readonly string[], isForFolder: boolean): boolean {
  if (WRAPPERS.has(programName(command))) return true;
  const script = scriptOf(command, args, isForFolder);
  return script !== undefined && WRAPPERS.has(programName(script.path));
}

/** `env -S` and some others are given a command line in one argument, with or without quotes. */
function wordsIn(argument: string): readonly string[] {
  return argument.split(/[\s;&|()"'`=]+/).filter((word) => word !== "");
}

function isTaker({ command, args, isForFolder }: CommandLine, lookAt: LookAt): boolean {
  const name = programName(command);
  if (SCRIPT_RUNNERS.has(name)) return !(isForFolder && runsRelativeScript(args));
  if (LAUNCHERS.has(name)) return true;
  if (args.some((arg) => COMMANDS_IN_FOLDER.get(name)?.has(arg))) return true;
  if (INTERPRETERS[name] === undefined) return isTakerByFile(lookAt(command), lookAt);
  const script = scriptOf(command, args, isForFolder);
  if (script === undefined || LAUNCHERS.has(programName(script.path))) return true;
  if (script.isOfFolder) return false;
  if (LOOK_IN_FOLDER.has(name)) return true;
  return (
    isTakerByFile(lookAt(command), lookAt) || (SHELLS.has(name) && runsTaker(lookAt(script.path), lookAt))
  );
}

const SHELLS = names("sh bash dash ash ksh zsh fish");

/** The programs that version managers put in place of all others: the folder says which version they run, and of some where it is. */
const SHIM = /(?<!scoop)[\\/]shims[\\/][^\\/]+$/i;

/** Whether the file itself says so: a link to a launcher, a script that names one, or one whose interpreter takes from the folder. */
function isTakerByFile(file: ProgramFile | undefined, lookAt: LookAt): boolean {
  if (file === undefined) return false;
  if (isStandIn(file)) return true;
  const { path, interpreter } = file;
  const [command, ...args] = interpreter;
  if (command === undefined) return runsTaker(file, lookAt); // Of Windows, if it has a text.
  if (takes({ command, args: [...args, path], isForFolder: false }, lookAt)) return true;
  return SHELLS.has(programName(command)) && runsTaker(file, lookAt);
}

/** Whether a launcher is started by this name. */
function isStandIn({ path, target = path }: ProgramFile): boolean {
  return SHIM.test(path) || SHIM.test(target) || (target !== path && LAUNCHERS.has(programName(target)));
}

/** What stands before a command in a script of a shell. */
const BEFORE_COMMAND =
  /^(?:\w+=.*|then|do|else|exec|command|if|elif|while|until|time|nohup|!|call|start|set|@.*)$/i;

/** Whether a script of a shell starts a launcher, as far as its lines tell; an interpreter with code or a module counts as one. */
function runsTaker(file: ProgramFile | undefined, lookAt: LookAt): boolean {
  const lines = file?.text.split(/\r?\n/).filter((line) => !/^\s*(?:#|::|@?rem\b)/i.test(line)) ?? [];
  const parts = lines.flatMap((line) => line.split(/[;&|(){}`"']+/));
  return parts.some((part) => {
    const words = part.split(/\s+/).filter((word) => word !== "" && !BEFORE_COMMAND.test(word));
    const [command = "", ...args] = words;
    const name = programName(command);
    if (LAUNCHERS.has(name)) return true;
    if (WRAPPERS.has(name)) return args.some((arg) => LAUNCHERS.has(programName(arg)));
    if (INTERPRETERS[name] !== undefined && CODE_OPTION.test(args[0] ?? "")) return true;
    const started = /^[\w.+/-]+$/.test(command) ? lookAt(command) : undefined;
    return started !== undefined && isStandIn(started);
  });
}

function runsRelativeScript(args: readonly string[]): boolean {
  const script = args.find((arg) => !arg.startsWith("-") && arg !== "run" && arg !== "watch");
  return script !== undefined && /^\.{1,2}[\\/]/.test(script);
}

const IS_ABSOLUTE = /^(?:\/|[a-z]:[\\/]|\\\\)/i;
const LOOKS_LIKE_FILE = /^(?:\.{1,2}[\\/]|\/|[a-z]:[\\/]|\\\\|[^-].*\.\w+$)/i;
/** Options of interpreters that take code, or the name of a module or task, in place of a script: also as `-mjson.tool`. */
const CODE_OPTION = /^(?:-[a-z]*[mcep]|--(?:eval|print|run|module|command)\b)/;
/** Options by which Python leaves the folder out of what it imports from. */
const ISOLATED = /^-[a-zA-Z]*[IP]/;

/** What an interpreter runs, if it takes nothing else from the folder; `undefined` if it may, and for any other program. */
function scriptOf(
  command: string,
  args: readonly string[],
  isForFolder: boolean,
): { readonly path: string; readonly isOfFolder?: boolean } | undefined {
  const name = programName(command);
  const harmless = INTERPRETERS[name];
  if (harmless === undefined) return undefined;
  const index = args.findIndex((arg) => !harmless.test(arg));
  const word = args[index];
  if (word === undefined) return undefined;
  if (IS_ABSOLUTE.test(word)) return { path: word };
  if (isPython(name) && args.slice(0, index).some((arg) => ISOLATED.test(arg))) {
    if (word === "-m") return { path: args[index + 1] ?? "" };
    if (word === "-c") return { path: word };
  }
  if (!isForFolder || CODE_OPTION.test(word)) return undefined;
  if (!word.startsWith("-")) return { path: word, isOfFolder: true };
  // The values of other options are skipped, as far as they do not look like files.
  const script = args.slice(index + 1).find((arg) => LOOKS_LIKE_FILE.test(arg));
  return script === undefined || IS_ABSOLUTE.test(script) ? undefined : { path: script, isOfFolder: true };
}

function isPython(name: string): boolean {
  return name.startsWith("py");
}
