import { dirname, resolve } from "node:path";
import {
  checkOptions,
  credentialsIn,
  credentialsInText,
  type Logger,
  McpError,
  namedArguments,
  type OptionKind,
  optionChoice,
  optionEither,
  optionGroup,
  optionKinds,
  optionNumber,
  type ResolvedServer,
  type ResolveServer,
  type ServerDefinition,
  type StdioServerDefinition,
} from "@jackfield/mcp-core";
import { anchorCommand, anchorFilledIn, expandHome } from "../entry/definition.ts";
import { fieldTexts } from "../entry/field-texts.ts";
import { LOADER_FAULT, loaderOfProject } from "../entry/loader-variables.ts";
import { homeOf } from "../entry/place-values.ts";
import { quote } from "../entry/server-name.ts";
import { describeLocation, locationOf } from "../find/diagnostics.ts";
import { readTextFile } from "../find/file.ts";
import { placeError } from "../find/locate.ts";
import {
  BOUNDARY_FAULT,
  type Bounds,
  boundsOf,
  climbsOut,
  isInside,
  projectRoot,
} from "../find/project-boundary.ts";
import type { TrustFolder } from "../find/server-admission.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { type CommandValueOptions, CommandValues, omissionLog, type TellOmitted } from "./commands.ts";
import { readEnvFile } from "./env-file.ts";
import {
  folderOfLocal,
  lookAround,
  neutralFolder,
  type Surroundings,
  startFolder,
  withPathOutside,
} from "./launch-folder.ts";
import { EntryValues, type LookupPolicy, type MissingVariable } from "./lookup.ts";
import { ADVICE_ON_VALUES, resolveRemote, unusable } from "./remote-server.ts";
import { childEnvironment, type Environment, type InheritEnv, withheldFrom } from "./safe-environment.ts";
import { dialectFor, references, type VariableDialect } from "./variables.ts";

/** How definitions are resolved. */
export interface ServerResolverOptions {
  /** The source of variables, and of what a child process inherits. Read again at each resolution. Default `process.env`. */
  readonly env?: Environment | undefined;
  /**
   * What stdio children get of `env` on top of the safe names. Default: what decides whether TLS and installing work (proxies,
   * certificates, registries). A list adds these names, `true` everything; `false` leaves the children with the safe names.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /** What happens to a reference whose variable is unset and which has no default. Default `fail`. */
  readonly missingVariable?: MissingVariable | undefined;
  /**
   * Names in `env`, and ids of `inputs`, that entries of scope `project` may read besides their own `env` and what the approval of
   * the entry has listed, `variables`. Values named like a credential then reach nothing but the `env` of a child. Default none.
   */
  readonly projectVariables?: readonly string[] | undefined;
  /**
   * Whether exactly this definition of scope `project` may be resolved, such as `isAdmitted` of a `ServerAdmission`. Default: none
   * may, so that nothing of a project runs before it is approved, however servers are found and joined.
   */
  readonly isAdmitted?: ((definition: ServerDefinition) => boolean) | undefined;
  /**
   * Runs commands in place of values, `!command` or `$(command)`, if the host knows them and the entry is the user's own, the
   * caller's or an administrator's; never a project's or an extension's. `true` means the default limits. Default `false`.
   */
  readonly runCommands?: boolean | CommandValueOptions | undefined;
  /** Answers to what hosts would ask the user for, by id, as in `${input:id}`; each of several becomes an argument. Default none. */
  readonly inputs?: { readonly [id: string]: string | readonly string[] } | undefined;
  /** The folder that `${workspaceFolder}` and the like mean in entries that belong to no project. Default the working directory. */
  readonly cwd?: string | undefined;
  /**
   * Where programs start that would take code, packages or settings from the folder of this process, such as `npx` or `python -m`, if
   * no project brought their entry and it names no `cwd`. Made with mode 0700 if it is missing; best an empty folder of the user's own.
   * Default the user's home.
   */
  readonly launchFolder?: string | undefined;
  /**
   * Whether the project in a folder is trusted. If it is, such programs start in the folder of this process. It is asked about the root
   * of that folder's project, at each resolution. Default: no folder is trusted.
   */
  readonly trust?: TrustFolder | undefined;
  /** Warned of values that are left out because their commands printed nothing usable. Default: nothing is logged. */
  readonly log?: Logger | undefined;
}

const { callable, flag, record, text, texts } = optionKinds;

const OPTIONS = {
  env: record,
  inheritEnv: optionEither(flag, texts),
  missingVariable: optionChoice("fail", "empty", "literal", "host"),
  projectVariables: texts,
  isAdmitted: callable,
  runCommands: optionEither(
    optionGroup({ timeoutMs: optionNumber(0), failureBackoffMs: optionNumber(0) }),
    flag,
  ),
  inputs: record,
  cwd: text,
  launchFolder: text,
  trust: callable,
  log: callable,
} satisfies { readonly [option in keyof ServerResolverOptions]-?: OptionKind };

interface ResolverPolicy extends LookupPolicy {
  readonly inheritEnv: InheritEnv | undefined;
  readonly launchFolder: string | undefined;
  readonly trust: TrustFolder | undefined;
}

/**
 * Makes the function that fills in a definition's references, in the dialect of its host, in `command`, `args`, `env`, `envFile`,
 * `cwd`, `url` and `headers`. In Jackfield's own dialect they are `${NAME}` and `${NAME:-default}`. Values in `env` are filled in
 * from the environment and from the `envFile`, whose own path sees the environment only; all other fields see the entry's own `env`
 * first. A variable that is set but empty counts as set.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option that does not exist, or has a value of the wrong type.
 *
 * The function rejects with `MCP_APPROVAL_REQUIRED` for an entry of a project that is not admitted, with
 * `MCP_CONFIG_VARIABLE_MISSING`, with `MCP_CONFIG_NOT_FOUND` if the `envFile` cannot be read, with `MCP_CONFIG_INVALID` if the
 * result cannot be used (an empty command, no http URL, a header with a line break) or is forbidden to a project's entry, and with
 * `MCP_ABORTED`. No message contains a value.
 */
export function createServerResolver(options: ServerResolverOptions = {}): ResolveServer {
  checkOptions(options, OPTIONS, { of: "of createServerResolver" });
  const { runCommands = false } = options;
  const tellOmitted = omissionLog(options.log);
  const commands = runCommands ? new CommandValues(runCommands === true ? {} : runCommands) : undefined;
  let seen: Promise<Surroundings> | undefined;
  /** The file system is asked once for all servers that are resolved in one turn of the event loop, as at a start. */
  const lookOnce = (policy: ResolverPolicy) => {
    if (seen !== undefined) return seen;
    setImmediate(() => {
      seen = undefined;
    });
    seen = lookAround(policy, policy.environment);
    return seen;
  };
  return async (definition, asked) => {
    const { signal } = asked;
    checkWanted(definition, signal);
    checkAdmitted(definition, options);
    const policy: ResolverPolicy = {
      platform: process.platform,
      environment: options.env ?? process.env,
      inheritEnv: options.inheritEnv,
      missingVariable: options.missingVariable ?? "fail",
      projectVariables: options.projectVariables ?? [],
      inputs: options.inputs ?? {},
      cwd: options.cwd ?? process.cwd(),
      launchFolder: options.launchFolder,
      trust: options.trust,
    };
    try {
      return await resolveServer(definition, policy, { commands, lookAround: lookOnce, tellOmitted }, asked);
    } catch (error) {
      throw await placeError(error, definition.definedIn);
    } finally {
      checkWanted(definition, signal);
    }
  };
}

/** Errors that an abort has caused, such as a file that was not read, are no fault of the entry. */
function checkWanted({ name }: ServerDefinition, signal: AbortSignal): void {
  if (!signal.aborted) return;
  const text = `Server ${quote(name)}: resolving it was aborted.`;
  throw new McpError("MCP_ABORTED", text, { server: name, phase: "resolve", cause: signal.reason });
}

/** A second check, in case servers were not admitted when they were found (threat T01). */
function checkAdmitted(definition: ServerDefinition, { isAdmitted }: ServerResolverOptions): void {
  const { name, definedIn } = definition;
  if (definedIn.scope !== "project" || isAdmitted?.(definition)) return;
  const message = `Server ${quote(name)} (${describeLocation(definedIn)}) comes from a project, and its current content is not approved; review and approve it.`;
  const details = { server: name, phase: "approve", location: locationOf(definedIn) } as const;
  throw new McpError("MCP_APPROVAL_REQUIRED", message, details);
}

async function resolveServer(
  given: ServerDefinition,
  policy: ResolverPolicy,
  {
    commands,
    lookAround,
    tellOmitted,
  }: {
    readonly commands: CommandValues | undefined;
    readonly lookAround: (policy: ResolverPolicy) => Promise<Surroundings>;
    readonly tellOmitted: TellOmitted;
  },
  asked: Parameters<ResolveServer>[1],
): Promise<ResolvedServer> {
  const { name, limits, definedIn } = given;
  const common = { name, limits: limits && { ...limits } };
  if (given.transport === "in-process") {
    const { server } = given;
    return { ...common, transport: "in-process", server, secrets: [] };
  }
  const { environment, platform, cwd } = policy;
  // The reader has refused it already, with its line; but a definition may have been made in another way.
  const loader = loaderOfProject(definedIn, given.env, platform);
  if (loader !== undefined) throw unusable(given, ["env", loader], LOADER_FAULT);
  const { host = JACKFIELD.id } = definedIn;
  const dialect =
    host === JACKFIELD.id ? JACKFIELD.variables : dialectFor(await foreignVariables(host), given);
  const isAnswered = (id: string) => Object.hasOwn(policy.inputs, id);
  const definition = dialect.withoutUnanswered?.(given, isAnswered) ?? given;
  const home = homeOf(environment, platform);
  const starts = definition.transport === "stdio" || commands !== undefined;
  const isOfProject = definedIn.scope === "project";
  const around: Surroundings =
    starts && !isOfProject ? await lookAround(policy) : { folder: undefined, environment };
  // A shell could take anything from the folder.
  const run = () => ({
    env: around.environment,
    cwd: around.folder ? neutralFolder(around.folder, policy.launchFolder) : cwd,
  });
  const commandOutputs =
    (await commands?.outputsFor(definition, dialect, { ...asked, ...run() })) ?? new Map();
  const files = readReferencedFiles(definition, dialect, home);
  const values = new EntryValues(definition, policy, { dialect, files, commandOutputs });
  await values.fillEnv((envFile) => {
    if (definition.transport !== "stdio" && isOfProject)
      throw unusable(definition, ["envFile"], ENV_FILE_OF_REMOTE);
    const bounds = boundsOf(definedIn, "envFile", dialect);
    const path = resolve(anchorFilledIn(envFile, bounds.base, home));
    checkInside(definition, "envFile", path, bounds);
    return readEnvFile(definition, path, platform);
  });
  const reached =
    definition.transport === "stdio"
      ? resolveProcess(definition, values, policy, { home, dialect, around })
      : await resolveRemote(definition, values, dialect, asked);
  tellOmitted(name, [...commandOutputs.keys()], values.omitted);
  const isMade = "makeHeaders" in definition && definition.makeHeaders !== undefined;
  const renewable = isMade || commandOutputs.size > 0;
  return { ...common, ...reached, ...(renewable ? { renewable } : {}), secrets: credentialsOf(values) };
}

function credentialsOf(values: EntryValues): readonly string[] {
  values.secrets.delete("");
  return [...values.secrets];
}

/** A file in a project's folder may be the user's, and its values could be sent anywhere (threat T13). */
const ENV_FILE_OF_REMOTE =
  "is not read for a remote server of a project. Refer to variables of the environment in its place: the approval of the entry lists them";

/** The variable dialect of another host. The module that knows every host is loaded for the first of their entries. */
async function foreignVariables(host: string): Promise<VariableDialect> {
  const { variablesOf } = await import("../find/search.ts");
  return variablesOf(host);
}

/** Files with a secret have some hundred bytes; a larger one is a mistake. */
const LARGEST_SECRET_BYTES = 64 * 1024;

/**
 * Reads and trims the files that an entry refers to, as in `{file:~/.secrets/token}`. An unreadable file is left out, and so is
 * every file of a project's entry, because a project's folder may also hold the user's secrets (threat T13). Relative paths are
 * relative to the configuration file.
 */
function readReferencedFiles(
  definition: ServerDefinition,
  dialect: VariableDialect,
  home: string,
): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const { scope, file = "" } = definition.definedIn;
  if (dialect === JACKFIELD.variables || scope === "project") return contents;
  for (const { text, isValue } of fieldTexts(definition)) {
    for (const { reference } of references(text, dialect, isValue)) {
      if (reference.kind !== "file" || contents.has(reference.name)) continue;
      const path = resolve(dirname(file), expandHome(reference.name, home));
      const found = readTextFile(path, LARGEST_SECRET_BYTES);
      if ("text" in found) contents.set(reference.name, found.text.trim());
    }
  }
  return contents;
}

function resolveProcess(
  definition: StdioServerDefinition,
  values: EntryValues,
  policy: ResolverPolicy,
  { home, dialect, around }: { home: string; dialect: VariableDialect; around: Surroundings },
) {
  const { transport, definedIn, envPassthrough = [] } = definition;
  const command = expandHome(values.expand(definition.command, ["command"]), home);
  const args = (definition.args ?? []).flatMap((text, index) => values.expandArgument(text, ["args", index]));
  for (const { name, value } of namedArguments(args))
    for (const credential of credentialsIn(name, value)) values.secrets.add(credential);
  const cwd = values.expand(definition.cwd ?? "", ["cwd"]);
  const own: { [name: string]: string } = { ...values.ofHost() };
  for (const name of envPassthrough) {
    const value = values.passOn(name);
    if (value !== undefined) own[name] = value;
  }
  Object.assign(own, values.env);
  values.checkComplete();
  if (command === "")
    throw unusable(definition, ["command"], `is empty once its variables are filled in; ${ADVICE_ON_VALUES}`);
  const { base, root } = boundsOf(definedIn, "command", dialect);
  if (root !== undefined && climbsOut(command, root, base))
    throw unusable(definition, ["command"], BOUNDARY_FAULT);
  const bounds = boundsOf(definedIn, "cwd", dialect);
  const directory = cwd === "" ? undefined : anchorFilledIn(cwd, bounds.base, home);
  if (directory !== undefined) checkInside(definition, "cwd", resolve(directory), bounds);
  const { env, inherited, withheld } = environmentOf(definition, own, policy, around);
  const program = {
    command: base === undefined ? command : anchorCommand(command, base),
    args,
    definedIn,
    env,
  };
  for (const name of inherited)
    for (const credential of credentialsInText(env[name] ?? "")) values.secrets.add(credential);
  return {
    transport,
    command: program.command,
    args,
    env,
    inherited,
    ...(withheld.length > 0 ? { withheld } : undefined),
    // In its project, the relative arguments of a project's entry mean what their author meant.
    cwd:
      directory ??
      projectRoot(definedIn) ??
      startFolder(program, around.folder, policy) ??
      folderOfLocal(program),
  };
}

function environmentOf(
  { envUnset = [] }: StdioServerDefinition,
  own: { readonly [name: string]: string },
  { environment, inheritEnv, platform }: ResolverPolicy,
  { folder, environment: usual }: Surroundings,
) {
  const env = childEnvironment(environment, inheritEnv, own, platform, usual);
  for (const name of envUnset) delete env[name];
  const inherited = Object.keys(env).filter((name) => !Object.hasOwn(own, name));
  if (folder !== undefined) withPathOutside(env, folder);
  return { env, inherited, withheld: withheldFrom(env, usual, platform) };
}

function checkInside(definition: ServerDefinition, field: string, path: string, { root }: Bounds): void {
  if (root !== undefined && !isInside(path, root)) throw unusable(definition, [field], BOUNDARY_FAULT);
}
