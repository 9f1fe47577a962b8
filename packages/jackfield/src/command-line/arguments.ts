import type { InlineServer } from "@jackfield/mcp-config";
import { thrownMessage } from "@jackfield/mcp-core";
import { nodeUtil } from "../builtin-modules.ts";
import type { CacheAction } from "./cache-command.ts";
import type { ConfigAction } from "./config-command.ts";
import {
  hostIds,
  oneOf,
  readBytes,
  readDuration,
  readHosts,
  readInputs,
  readServers,
} from "./option-values.ts";
import { serverFirst, typedServerFirst } from "./typed-server.ts";
import { didYouMean, UsageError } from "./wrong-usage.ts";

/** What every command takes. */
export interface CommonArguments {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly configFiles: readonly string[];
  readonly servers: { readonly [name: string]: InlineServer };
  readonly cwd: string | undefined;
  /** The hosts whose files are read: `all` for every host, none for `--no-discover`. Default: see `hostsOfUser`. */
  readonly hosts: readonly string[] | "all" | undefined;
  /** The largest file that is read. */
  readonly maxFileBytes: number | undefined;
  /** Answers to inputs of entries, by name. */
  readonly inputs: { readonly [name: string]: string | readonly string[] };
  /** Names that entries of a project may read. */
  readonly projectVariables: readonly string[];
  /** The catalog's directory. */
  readonly cache: string | undefined;
  /** How long connecting, and the whole of a call, may take. */
  readonly timeoutMs: number | undefined;
}

export type CommandArguments = CommonArguments &
  (
    | { readonly command: "status"; readonly server: string | undefined }
    | {
        readonly command: "tools";
        readonly server: string | undefined;
        readonly tokens: boolean;
        readonly search: string | undefined;
      }
    /** `words`: the tool's arguments as they were typed, see `readInput`; `help`: explain the tool instead of calling it. */
    | {
        readonly command: "call";
        /** Given if it was typed as an address or a command. */
        readonly server: string | undefined;
        readonly tool: string;
        readonly words: readonly string[];
        readonly help: boolean;
      }
    | { readonly command: "resources" | "prompts"; readonly server: string | undefined }
    | { readonly command: "read"; readonly server: string; readonly uri: string }
    | {
        readonly command: "prompt";
        readonly server: string | undefined;
        readonly prompt: string;
        readonly words: readonly string[];
      }
    | { readonly command: "cache"; readonly action: CacheAction }
    | { readonly command: "config"; readonly action: ConfigAction }
    /** Without a server: every one that waits. `yes`: approve without asking. */
    | { readonly command: "approve"; readonly server: string | undefined; readonly yes: boolean }
    /** `lock`: the lock file; `write`: write it instead of comparing. */
    | { readonly command: "verify"; readonly lock: string | undefined; readonly write: boolean }
    | { readonly command: "doctor" }
    /** `force`: replace an existing file. */
    | { readonly command: "init"; readonly force: boolean }
    | { readonly command: "types"; readonly out: string | undefined }
    /** `scopes`: additional scopes; `browser`: whether to open it. */
    | {
        readonly command: "login";
        readonly server: string | undefined;
        readonly scopes: readonly string[];
        readonly browser: boolean;
      }
    | { readonly command: "logout"; readonly server: string | undefined }
    | AddArguments
    /** `to`: the host whose file is changed; `inProject`: its file of the project. */
    | {
        readonly command: "remove" | "enable" | "disable";
        readonly server: string;
        readonly to: string | undefined;
        readonly inProject: boolean;
      }
    /** `follow`: until Ctrl+C. */
    | { readonly command: "logs"; readonly server: string; readonly follow: boolean }
    | { readonly command: "tap"; readonly server: string; readonly follow: boolean }
    | { readonly command: "completion"; readonly shell: string; readonly typed: readonly string[] }
    /** `on`: the command to explain. */
    | { readonly command: "help"; readonly on: string | undefined }
    | { readonly command: "version" }
  );

/** The server has a URL, or a command with its arguments. */
export interface AddArguments {
  readonly command: "add";
  readonly server: string;
  readonly url: string | undefined;
  readonly program: readonly string[] | undefined;
  readonly to: string | undefined;
  readonly inProject: boolean;
  /** `NAME=VALUE`, or `NAME` alone for a reference to your variable of that name. */
  readonly env: readonly string[];
  readonly headers: readonly string[];
  readonly force: boolean;
}

const OPTIONS = {
  json: { type: "boolean" },
  verbose: { type: "boolean" },
  tokens: { type: "boolean" },
  search: { type: "string" },
  config: { type: "string", multiple: true },
  "mcp-server": { type: "string", multiple: true },
  input: { type: "string", multiple: true },
  var: { type: "string", multiple: true },
  lock: { type: "string" },
  write: { type: "boolean" },
  yes: { type: "boolean" },
  force: { type: "boolean" },
  to: { type: "string" },
  project: { type: "boolean" },
  env: { type: "string", multiple: true },
  header: { type: "string", multiple: true },
  follow: { type: "boolean", short: "f" },
  out: { type: "string" },
  cwd: { type: "string" },
  host: { type: "string" },
  hosts: { type: "string" },
  timeout: { type: "string" },
  "no-discover": { type: "boolean" },
  "no-browser": { type: "boolean" },
  scope: { type: "string", multiple: true },
  "max-file-bytes": { type: "string" },
  cache: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** The options of every command. Only for others is it looked up which commands take them. */
const COMMON = [
  ...["json", "verbose", "config", "mcp-server", "input", "var", "cwd", "hosts", "no-discover"],
  ...["max-file-bytes", "cache", "help", "version"],
];

/**
 * Reads the command line.
 *
 * @throws UsageError for an unknown command, option, host or value, and for an option that the command does not take.
 */
export async function readArguments(argv: readonly string[]): Promise<CommandArguments> {
  const end = argv.indexOf("--");
  const { values, positionals } = parse(end === -1 ? argv : argv.slice(0, end));
  /** The command of a server, behind `--`. */
  const own = end === -1 ? undefined : argv.slice(end + 1);
  // An empty path would mean the working directory, which need not be the one that was meant.
  for (const option of ["cache", "cwd"] as const) {
    if (values[option] === "")
      throw new UsageError(`The folder of "--${option}" is empty; name one, or leave the option out.`);
  }
  const common: CommonArguments = {
    json: values.json ?? false,
    verbose: values.verbose ?? false,
    configFiles: values.config ?? [],
    servers: readServers(values["mcp-server"] ?? []),
    cwd: values.cwd,
    hosts: values["no-discover"] ? [] : readHosts(values.hosts, '"--hosts"'),
    maxFileBytes: readBytes(values["max-file-bytes"]),
    inputs: readInputs(values.input ?? []),
    projectVariables: values.var ?? [],
    cache: values.cache,
    timeoutMs: readDuration(values.timeout),
  };
  const [command = "status", first, second, ...rest] = positionals;
  const isToolHelp = values.help === true && command === "call" && first !== undefined;
  if (values.help && !isToolHelp) return { ...common, command: "help", on: positionals[0] };
  if (values.version) return { ...common, command: "version" };
  await refuseUnknownOptions(command, Object.keys(values));
  const all = [first, second, ...rest];
  if (own !== undefined && !TAKES_COMMAND.includes(command))
    throw new UsageError(`"${command}" does not take a command behind "--".`);
  switch (command) {
    case "status":
    case "tools":
    case "resources":
    case "prompts": {
      const { server, words, places } = serverFirst(all, own, common);
      refuseRest(command, words);
      const asked = { ...common, ...places, server };
      return command === "tools"
        ? { ...asked, command, tokens: values.tokens ?? false, search: values.search }
        : { ...asked, command };
    }
    case "call": {
      const { server, words, places } = typedServerFirst(all, own, common);
      const [tool, ...input] = words;
      if (tool === undefined)
        throw new UsageError(
          '"call" needs the name of a tool, such as SERVER.TOOL; "jackfield tools" lists them.',
        );
      return { ...common, ...places, command, server, tool, words: input, help: isToolHelp };
    }
    case "read": {
      const { server, words, places } = serverFirst(all, own, common);
      const [uri, ...more] = words;
      refuseRest(command, more);
      if (server === undefined || uri === undefined)
        throw new UsageError('"read" needs a SERVER and a URI; "jackfield resources" lists them.');
      return { ...common, ...places, command, server, uri };
    }
    case "prompt": {
      const { server, words, places } = typedServerFirst(all, own, common);
      const [prompt, ...input] = words;
      if (prompt === undefined)
        throw new UsageError('"prompt" needs a name, such as SERVER.PROMPT; "jackfield prompts" lists them.');
      return { ...common, ...places, command, server, prompt, words: input };
    }
    case "cache":
      refuseRest(command, rest);
      return { ...common, command, action: readCacheAction(first, second) };
    case "verify":
      refuseRest(command, all);
      return { ...common, command, lock: values.lock, write: values.write ?? false };
    case "config":
      return { ...common, command, action: readConfigAction(first, second, rest, values.host) };
    case "approve": {
      refuseRest(command, [second, ...rest]);
      const yes = values.yes ?? false;
      if (yes && first === undefined)
        throw new UsageError(
          '"approve --yes" needs the name of a server; it cannot approve all servers at once.',
        );
      return { ...common, command, server: first, yes };
    }
    case "doctor":
      refuseRest(command, all);
      return { ...common, command };
    case "init":
      refuseRest(command, all);
      return { ...common, command, force: values.force ?? false };
    case "types":
      refuseRest(command, all);
      return { ...common, command, out: values.out };
    case "login": {
      const { server, words, places } = serverFirst(all, undefined, common);
      refuseRest(command, words);
      const scopes = (values.scope ?? []).flatMap((text) => text.split(/\s+/)).filter(Boolean);
      return { ...common, ...places, command, server, scopes, browser: !values["no-browser"] };
    }
    case "logout": {
      const { server, words, places } = serverFirst(all, undefined, common);
      refuseRest(command, words);
      return { ...common, ...places, command, server };
    }
    case "add": {
      const { env = [], header: headers = [], to, project = false, force = false } = values;
      const [url] = own === undefined ? [second] : [];
      refuseRest(command, own === undefined ? rest : [second, ...rest]);
      if (first === undefined || (url === undefined) === (own === undefined || own.length === 0))
        throw new UsageError(
          '"add" needs a NAME and a URL, or a NAME, "--" and a COMMAND with its arguments.',
        );
      const typed = { url, program: own, env, headers, to, inProject: project, force };
      return { ...common, command, server: first, ...typed };
    }
    case "remove":
    case "enable":
    case "disable": {
      refuseRest(command, [second, ...rest]);
      if (first === undefined) throw new UsageError(`"${command}" needs the NAME of a server.`);
      return { ...common, command, server: first, to: values.to, inProject: values.project ?? false };
    }
    case "logs":
    case "tap": {
      const { server, words, places } = serverFirst(all, own, common);
      refuseRest(command, words);
      if (server === undefined) throw new UsageError(`"${command}" needs the NAME of a server.`);
      return { ...common, ...places, command, server, follow: values.follow ?? false };
    }
    case "completion":
      if (first === undefined) throw new UsageError('"completion" needs bash, zsh or fish.');
      refuseRest(command, [second, ...rest]);
      return { ...common, command, shell: first, typed: own ?? [] };
    case "help":
      refuseRest(command, [second, ...rest]);
      return { ...common, command, on: first };
    default: {
      const { COMMAND_NAMES } = await import("./help.ts");
      const meant = didYouMean(command, [...COMMAND_NAMES, "help"]);
      const hint = meant ?? `the commands are ${COMMAND_NAMES.join(", ")} and help.`;
      throw new UsageError(`There is no command ${JSON.stringify(command)}; ${hint}`);
    }
  }
}

/** Commands that take the command of a server behind `--`. */
const TAKES_COMMAND: readonly string[] = [
  ...[
    "status",
    "tools",
    "call",
    "resources",
    "read",
    "prompts",
    "prompt",
    "add",
    "logs",
    "tap",
    "completion",
  ],
];

function readCacheAction(kind: string | undefined, name: string | undefined): CacheAction {
  if (kind === "clear") return { kind, server: name };
  if (kind !== "list" && kind !== "path") throw new UsageError('"cache" needs list, clear or path.');
  refuseRest(`cache ${kind}`, [name]);
  return { kind };
}

function readConfigAction(
  kind: string | undefined,
  file: string | undefined,
  layers: readonly string[],
  host: string | undefined,
): ConfigAction {
  if (kind === "list") {
    refuseRest("config list", [file, ...layers]);
    if (host !== undefined)
      throw new UsageError('"config list" does not take "--host"; did you mean "--hosts"?');
    return { kind };
  }
  if (kind !== "parse") throw new UsageError('"config" needs list or parse.');
  if (host === undefined || file === undefined)
    throw new UsageError('"config parse" needs --host HOST and a FILE.');
  return { kind, host: oneOf(host, hostIds(), '"--host"', "host"), file, layers };
}

function parse(argv: readonly string[]) {
  try {
    return nodeUtil.parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const message = thrownMessage(error);
    const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    if (unknown === undefined) throw new UsageError(message);
    const meant = didYouMean(
      unknown,
      Object.keys(OPTIONS).map((option) => `--${option}`),
    );
    const hint = meant ?? '"jackfield --help" lists the options.';
    throw new UsageError(`There is no option ${JSON.stringify(unknown)}; ${hint}`);
  }
}

/** Refuses options of other commands: to ignore one could give a wrong answer. */
async function refuseUnknownOptions(command: string, given: readonly string[]): Promise<void> {
  if (given.every((name) => COMMON.includes(name))) return;
  const { COMMAND_NAMES, optionsOf } = await import("./help.ts");
  const known = COMMAND_NAMES.find((name) => name === command);
  if (known === undefined) return;
  const options = optionsOf(known);
  const foreign = given.map((name) => `--${name}`).find((option) => !options.includes(option));
  if (foreign === undefined) return;
  const meant = didYouMean(foreign, options);
  throw new UsageError(`"${command}" does not take "${foreign}"${meant === undefined ? "." : `; ${meant}`}`);
}

function refuseRest(command: string, rest: readonly (string | undefined)[]): void {
  const extra = rest.find((word) => word !== undefined);
  if (extra !== undefined) throw new UsageError(`"${command}" does not take ${JSON.stringify(extra)}.`);
}
