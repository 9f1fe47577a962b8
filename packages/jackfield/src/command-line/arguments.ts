import type { InlineServer } from "@jackfield/mcp-config";
import { McpError, thrownMessage } from "@jackfield/mcp-core";
import { nodeUtil } from "../builtin-modules.ts";
import type { CacheAction } from "./cache-command.ts";
import type { ConfigAction } from "./config-command.ts";
import { COMMAND_NAMES, optionsOf } from "./help.ts";

/** What every command takes. */
export interface CommonArguments {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly configFiles: readonly string[];
  readonly servers: { readonly [name: string]: InlineServer };
  readonly cwd: string | undefined;
  /** The hosts whose files are read: `all` for every host, none for `--no-discover`. Default: Jackfield's own files. */
  readonly hosts: readonly string[] | "all" | undefined;
  /** The catalog's directory. */
  readonly cache: string | undefined;
}

export type CommandArguments = CommonArguments &
  (
    | { readonly command: "status" }
    | { readonly command: "tools"; readonly server: string | undefined; readonly tokens: boolean }
    /** `input` is JSON, or `-` to read it from standard input. */
    | { readonly command: "call"; readonly tool: string; readonly input: string | undefined }
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
    /** `on`: the command to explain. */
    | { readonly command: "help"; readonly on: string | undefined }
    | { readonly command: "version" }
  );

const OPTIONS = {
  json: { type: "boolean" },
  verbose: { type: "boolean" },
  tokens: { type: "boolean" },
  config: { type: "string", multiple: true },
  "mcp-server": { type: "string", multiple: true },
  lock: { type: "string" },
  write: { type: "boolean" },
  yes: { type: "boolean" },
  force: { type: "boolean" },
  out: { type: "string" },
  cwd: { type: "string" },
  host: { type: "string" },
  hosts: { type: "string" },
  "no-discover": { type: "boolean" },
  "no-browser": { type: "boolean" },
  scope: { type: "string", multiple: true },
  cache: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/**
 * Reads the command line.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown command, option or value, and for an option that the command does not take.
 */
export function readArguments(argv: readonly string[]): CommandArguments {
  const { values, positionals } = parse(argv);
  // An empty path would mean the working directory, which need not be the one that was meant.
  for (const option of ["cache", "cwd"] as const) {
    if (values[option] === "")
      throw usage(`The folder of "--${option}" is empty; name one, or leave the option out.`);
  }
  const common: CommonArguments = {
    json: values.json ?? false,
    verbose: values.verbose ?? false,
    configFiles: values.config ?? [],
    servers: readServers(values["mcp-server"] ?? []),
    cwd: values.cwd,
    hosts: values["no-discover"] ? [] : readHosts(values.hosts),
    cache: values.cache,
  };
  if (values.help) return { ...common, command: "help", on: positionals[0] };
  if (values.version) return { ...common, command: "version" };
  const [command = "status", first, second, ...rest] = positionals;
  refuseUnknownOptions(command, Object.keys(values));
  switch (command) {
    case "status":
      refuseRest(command, [first, second, ...rest]);
      return { ...common, command };
    case "tools":
      refuseRest(command, [second, ...rest]);
      return { ...common, command, server: first, tokens: values.tokens ?? false };
    case "call":
      refuseRest(command, rest);
      if (first === undefined) throw usage('"call" needs the name of a tool; "jackfield tools" lists them.');
      return { ...common, command, tool: first, input: second };
    case "cache":
      refuseRest(command, rest);
      return { ...common, command, action: readCacheAction(first, second) };
    case "verify":
      refuseRest(command, [first, second, ...rest]);
      return { ...common, command, lock: values.lock, write: values.write ?? false };
    case "config":
      return { ...common, command, action: readConfigAction(first, second, rest, values.host) };
    case "approve":
      refuseRest(command, [second, ...rest]);
      return { ...common, command, server: first, yes: values.yes ?? false };
    case "doctor":
      refuseRest(command, [first, second, ...rest]);
      return { ...common, command };
    case "init":
      refuseRest(command, [first, second, ...rest]);
      return { ...common, command, force: values.force ?? false };
    case "types":
      refuseRest(command, [first, second, ...rest]);
      return { ...common, command, out: values.out };
    case "login": {
      refuseRest(command, [second, ...rest]);
      const scopes = (values.scope ?? []).flatMap((text) => text.split(/\s+/)).filter(Boolean);
      return { ...common, command, server: first, scopes, browser: !values["no-browser"] };
    }
    case "logout":
      refuseRest(command, [second, ...rest]);
      return { ...common, command, server: first };
    case "help":
      refuseRest(command, [second, ...rest]);
      return { ...common, command, on: first };
    default:
      throw usage(`There is no command "${command}"; the commands are ${COMMAND_NAMES.join(", ")} and help.`);
  }
}

function readCacheAction(kind: string | undefined, name: string | undefined): CacheAction {
  if (kind === "clear") return { kind, server: name };
  if (kind !== "list" && kind !== "path") throw usage('"cache" needs list, clear or path.');
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
    if (host !== undefined) throw usage('"config list" does not take "--host"; did you mean "--hosts"?');
    return { kind };
  }
  if (kind !== "parse") throw usage('"config" needs list or parse.');
  if (host === undefined || file === undefined) throw usage('"config parse" needs --host HOST and a FILE.');
  return { kind, host, file, layers };
}

/** Splits a comma-separated list of hosts. */
function readHosts(list: string | undefined): CommonArguments["hosts"] {
  return list === undefined || list === "all" ? list : list.split(",").map((host) => host.trim());
}

function parse(argv: readonly string[]) {
  try {
    return nodeUtil.parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const message = thrownMessage(error);
    const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
    throw usage(
      unknown === undefined
        ? message
        : `There is no option ${JSON.stringify(unknown)}; "jackfield --help" lists the options.`,
    );
  }
}

/** `NAME=JSON`; the name may hold anything but an equals sign and a brace, which would be JSON without a name. */
function readServers(entries: readonly string[]): CommonArguments["servers"] {
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name = "", json = ""] = /^([^={]+)=(.*)$/s.exec(entry) ?? [];
      if (name === "")
        throw usage('"--mcp-server" must be NAME=JSON, for example files={"command":"my-server"}.');
      return [name, parseJson(json, `The JSON of "--mcp-server ${name}"`) as InlineServer];
    }),
  );
}

/** @throws McpError `MCP_CONFIG_INVALID`; the message begins with `what` and quotes none of the text, which may hold secrets */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const read = readableLength(text);
    throw usage(
      `${what} ${read < text.length ? `is not valid at character ${read + 1}` : "ends too early"}.`,
    );
  }
}

/**
 * The length of the longest prefix that could begin valid JSON. Messages of the parser are no help: not all give the position, and some
 * quote the text.
 */
function readableLength(text: string): number {
  let [readable, unreadable] = [0, text.length + 1];
  while (unreadable - readable > 1) {
    const middle = (readable + unreadable) >> 1;
    if (isValidPrefix(text.slice(0, middle))) readable = middle;
    else unreadable = middle;
  }
  return readable;
}

function isValidPrefix(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return /end of JSON|Unterminated string/.test(message) || message.includes(`position ${text.length}`);
  }
}

/** Refuses options of other commands: to ignore one could give a wrong answer. */
function refuseUnknownOptions(command: string, given: readonly string[]): void {
  const known = COMMAND_NAMES.find((name) => name === command);
  if (known === undefined) return;
  const options = optionsOf(known);
  const foreign = given.map((name) => `--${name}`).find((option) => !options.includes(option));
  if (foreign === undefined) return;
  const meant = options.find((option) => option.startsWith(foreign));
  const hint = meant === undefined ? "." : `; did you mean "${meant}"?`;
  throw usage(`"${command}" does not take "${foreign}"${hint}`);
}

function refuseRest(command: string, rest: readonly (string | undefined)[]): void {
  const extra = rest.find((word) => word !== undefined);
  if (extra !== undefined) throw usage(`"${command}" does not take "${extra}".`);
}

function usage(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
