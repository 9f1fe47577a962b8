import { resolve } from "node:path";
import {
  credentialsIn,
  credentialsOfHeader,
  type HttpServerDefinition,
  McpError,
  namedArguments,
  type ResolvedServer,
  type ResolveOptions,
  type ResolveServer,
  type ServerDefinition,
  type SseServerDefinition,
  type StdioServerDefinition,
} from "@jackfield/mcp-core";
import type { TrustFolder } from "./admission/server-admission.ts";
import { anchorCommand, anchorFilledIn, expandHome } from "./anchored-path.ts";
import { type CommandValueOptions, type CommandValues, createCommandValues } from "./command-values.ts";
import { fieldName, type JsonPath } from "./documents/json-path.ts";
import { createMap } from "./documents/json-value.ts";
import {
  createEntryValues,
  type EntryValues,
  type MissingVariable,
  type VariablePolicy,
} from "./entry-values.ts";
import { readEnvFile } from "./env-file.ts";
import { addHeadersFromEnv } from "./headers-from-env.ts";
import { JACKFIELD } from "./hosts/jackfield.ts";
import { isHeaderValue, isHttpUrl } from "./http-syntax.ts";
import {
  type DistrustedFolder,
  distrustedFolder,
  environmentOutside,
  type FolderPolicy,
  neutralFolder,
  startFolder,
  withPathOutside,
} from "./launch-folder.ts";
import { LOADER_FAULT, loaderOfProject } from "./loader-variables.ts";
import { withoutDefaults } from "./missing-variables.ts";
import { homeOf } from "./place-values.ts";
import { BOUNDARY_FAULT, type Bounds, boundsOf, climbsOut, isInside } from "./project-boundary.ts";
import { runReferencedCommands } from "./referenced-commands.ts";
import { readReferencedFiles } from "./referenced-files.ts";
import {
  childEnvironment,
  createCurrentEnvironment,
  type Environment,
  type InheritEnv,
} from "./safe-environment.ts";
import { quote } from "./server-name.ts";
import { describeLocation, invalidServer, locationOf } from "./sources/config-problem.ts";
import { dialectFor, type VariableDialect } from "./variables.ts";

/** How definitions are resolved. */
export interface ServerResolverOptions {
  /** The source of variables, and of what a child process inherits. Read again at each resolution. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** What stdio children inherit on top of the safe names: everything (`true`), or these names. Default `false`. */
  readonly inheritEnv?: InheritEnv | undefined;
  /** What happens to a reference whose variable is unset and which has no default. Default `fail`. */
  readonly missingVariable?: MissingVariable | undefined;
  /**
   * Names in `env`, and ids of `inputs`, that entries of scope `project` may read; apart from these, they see only their own `env`.
   * Values named like a credential reach nothing but the `env` of a child. Default none.
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
}

const ADVICE_ON_VALUES = "check its value and its variables";

interface ResolverPolicy extends VariablePolicy, FolderPolicy {
  readonly inheritEnv: InheritEnv;
}

type RemoteDefinition = HttpServerDefinition | SseServerDefinition;
type StartedOrDialled = StdioServerDefinition | RemoteDefinition;

/**
 * Makes the function that fills in a definition's references, in the dialect of its host, in `command`, `args`, `env`, `envFile`,
 * `cwd`, `url` and `headers`. In Jackfield's own dialect they are `${NAME}` and `${NAME:-default}`. Values in `env` are filled in
 * from the environment and from the `envFile`, whose own path sees the environment only; all other fields see the entry's own `env`
 * first. A variable that is set but empty counts as set.
 *
 * The function rejects with `MCP_APPROVAL_REQUIRED` for an entry of a project that is not admitted, with
 * `MCP_CONFIG_VARIABLE_MISSING`, with `MCP_CONFIG_NOT_FOUND` if the `envFile` cannot be read, with `MCP_CONFIG_INVALID` if the
 * result cannot be used (an empty command, no http URL, a header with a line break) or is forbidden to a project's entry, and with
 * `MCP_ABORTED`. No message contains a value.
 */
export function createServerResolver(options: ServerResolverOptions = {}): ResolveServer {
  const { runCommands = false } = options;
  const currentEnvironment = createCurrentEnvironment();
  const commands = runCommands ? createCommandValues(runCommands === true ? {} : runCommands) : undefined;
  return async (definition, asked) => {
    const { signal } = asked;
    checkWanted(definition, signal);
    checkAdmitted(definition, options);
    const policy: ResolverPolicy = {
      platform: process.platform,
      environment: options.env ?? currentEnvironment(),
      inheritEnv: options.inheritEnv ?? false,
      missingVariable: options.missingVariable ?? "fail",
      projectVariables: options.projectVariables ?? [],
      inputs: options.inputs ?? {},
      cwd: options.cwd ?? process.cwd(),
      launchFolder: options.launchFolder,
      trust: options.trust,
    };
    try {
      return await resolveServer(definition, policy, { ...asked, commands });
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

interface CommandRun extends ResolveOptions {
  readonly commands: CommandValues | undefined;
}

async function resolveServer(
  definition: ServerDefinition,
  policy: ResolverPolicy,
  { commands, ...run }: CommandRun,
): Promise<ResolvedServer> {
  const { name, limits } = definition;
  const common = { name, limits: limits && { ...limits } };
  if (definition.transport === "in-process") {
    const { server } = definition;
    return { ...common, transport: "in-process", server, secrets: [] };
  }
  // The reader has refused it already, with its line; but a definition may have been made in another way.
  const loader = loaderOfProject(definition.definedIn, definition.env, policy.platform);
  if (loader !== undefined) throw unusable(definition, ["env", loader], LOADER_FAULT);
  const { host = JACKFIELD.id } = definition.definedIn;
  const dialect =
    host === JACKFIELD.id ? JACKFIELD.variables : dialectFor(await foreignVariables(host), definition);
  const home = homeOf(policy.environment, policy.platform);
  const runs = definition.transport === "stdio" || commands !== undefined;
  const folder = runs ? await distrustedFolder(definition.definedIn, policy) : undefined;
  const values = await createEntryValues(definition, policy, {
    dialect,
    files: readReferencedFiles(definition, dialect, home),
    commandOutputs: await runReferencedCommands(definition, dialect, commands, {
      ...run,
      ...(folder && commands ? outside(folder, policy) : { env: policy.environment, cwd: policy.cwd }),
    }),
    readEnvFile: (envFile) => {
      checkEnvFileUse(definition);
      const bounds = boundsOf(definition.definedIn, "envFile", dialect);
      const path = resolve(anchorFilledIn(envFile, bounds.base, home));
      checkInside(definition, "envFile", path, bounds);
      const shown = withoutDefaults(definition.envFile ?? "", dialect);
      return readEnvFile({ definition, path, shown }, policy.platform);
    },
  });
  const resolved =
    definition.transport === "stdio"
      ? resolveProcess(definition, values, policy, { home, dialect, folder })
      : resolveRemote(definition, values, dialect, await tokenFieldOf(definition));
  values.secrets.delete("");
  return { ...common, ...resolved, secrets: [...values.secrets] };
}

/** What commands in place of values are run with: the shell could take anything from the folder. */
function outside(folder: DistrustedFolder, { environment, launchFolder }: ResolverPolicy) {
  return { env: environmentOutside(environment, folder), cwd: neutralFolder(folder, launchFolder) };
}

/** The variable dialect of another host. The module that knows every host is loaded for the first of their entries. */
async function foreignVariables(host: string): Promise<VariableDialect> {
  const { variablesOf } = await import("./discovery/file-sources.ts");
  return variablesOf(host);
}

/**
 * The host's name for the field with the variable of a bearer token, for the message that it has no value. `undefined` if the field
 * has several names: which of them the file has is not known here.
 */
async function tokenFieldOf({
  definedIn: { host },
  bearerTokenEnv,
}: RemoteDefinition): Promise<string | undefined> {
  const field = "bearerTokenEnv";
  if (bearerTokenEnv === undefined || host === undefined || host === JACKFIELD.id) return field;
  const { dialectOf } = await import("./discovery/file-sources.ts");
  const [name = field, ...others] = [dialectOf(host)?.entry.fields[field] ?? field].flat();
  return others.length === 0 ? name : undefined;
}

interface ProcessSurroundings {
  readonly home: string;
  readonly dialect: VariableDialect;
  /** From where the process must not take anything. */
  readonly folder: DistrustedFolder | undefined;
}

function resolveProcess(
  definition: StdioServerDefinition,
  values: EntryValues,
  policy: ResolverPolicy,
  { home, dialect, folder }: ProcessSurroundings,
) {
  const command = expandHome(values.expand(definition.command, ["command"]), home);
  const args = (definition.args ?? []).flatMap((text, index) => values.expandArgument(text, ["args", index]));
  for (const { name, value } of namedArguments(args))
    for (const credential of credentialsIn(name, value)) values.secrets.add(credential);
  const cwd = values.expand(definition.cwd ?? "", ["cwd"]);
  values.checkComplete();
  if (command === "")
    throw unusable(definition, ["command"], `is empty once its variables are filled in; ${ADVICE_ON_VALUES}`);
  const { base, root } = boundsOf(definition.definedIn, "command", dialect);
  if (root !== undefined && climbsOut(command, root, base))
    throw unusable(definition, ["command"], BOUNDARY_FAULT);
  const bounds = boundsOf(definition.definedIn, "cwd", dialect);
  const directory = cwd === "" ? undefined : anchorFilledIn(cwd, bounds.base, home);
  if (directory !== undefined) checkInside(definition, "cwd", resolve(directory), bounds);
  const own = { ...passedThrough(definition, values), ...values.env };
  const { environment, inheritEnv, platform } = policy;
  const parent = folder && inheritEnv === true ? environmentOutside(environment, folder) : environment;
  const env = childEnvironment(parent, inheritEnv, own, platform);
  for (const name of definition.envUnset ?? []) delete env[name];
  const inherited = Object.keys(env).filter((name) => !Object.hasOwn(own, name));
  if (folder !== undefined) withPathOutside(env, folder);
  const program = {
    command: base === undefined ? command : anchorCommand(command, base),
    args,
    definedIn: definition.definedIn,
  };
  return {
    transport: definition.transport,
    command: program.command,
    args,
    env,
    inherited,
    cwd: directory ?? startFolder(program, folder, policy),
  };
}

/** The environment variables that the entry passes on; its own `env` goes on top. */
function passedThrough({ envPassthrough = [] }: StdioServerDefinition, values: EntryValues) {
  const passed = createMap<string>();
  for (const name of envPassthrough) {
    const value = values.passOn(name);
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function checkInside(definition: ServerDefinition, field: string, path: string, { root }: Bounds): void {
  if (root !== undefined && !isInside(path, root)) throw unusable(definition, [field], BOUNDARY_FAULT);
}

/** A file in a project's folder may be the user's, and its values could be sent anywhere (threat T13). */
function checkEnvFileUse(definition: StartedOrDialled): void {
  if (definition.definedIn.scope !== "project" || definition.transport === "stdio") return;
  const fault =
    "is not read for a remote server of a project. Put the entry into your own configuration if you trust it";
  throw unusable(definition, ["envFile"], fault);
}

function resolveRemote(
  definition: RemoteDefinition,
  values: EntryValues,
  { omitsEmptyHeaders }: VariableDialect,
  tokenField: string | undefined,
) {
  const url = values.expand(definition.url, ["url"]);
  const headers = values.expandAll(definition.headers, ["headers"]);
  addHeadersFromEnv(headers, definition, values, tokenField);
  values.checkComplete();
  if (!isHttpUrl(url)) {
    const fault = "is not an http(s) URL once its variables are filled in";
    throw unusable(definition, ["url"], `${fault}; ${ADVICE_ON_VALUES}`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === "" && omitsEmptyHeaders) delete headers[name];
    if (!isHeaderValue(value)) {
      const fault = "has a character that is not allowed in a header, such as a line break at its end";
      throw unusable(definition, ["headers", name], `${fault}; ${ADVICE_ON_VALUES}`);
    }
    for (const credential of credentialsOfHeader(name, value)) values.secrets.add(credential);
  }
  return { transport: definition.transport, url, headers };
}

/** The error for an unusable result. Neither its message nor a cause contains values, which may be secret. */
function unusable({ name, definedIn }: ServerDefinition, path: JsonPath, fault: string): McpError {
  return invalidServer(name, locationOf(definedIn), `${quote(fieldName(path))} ${fault}.`, "resolve");
}
