import { dirname } from "node:path";
import {
  type HttpServerDefinition,
  McpError,
  type ResolvedServer,
  type ResolveServer,
  type ServerDefinition,
  type SseServerDefinition,
  type StdioServerDefinition,
} from "@jackfield/mcp-core";
import { anchorCommand, anchorPath } from "./anchored-path.ts";
import { invalidServer } from "./config-problem.ts";
import { secretsOfHeader } from "./credentials.ts";
import { createEntryValues, type EntryValues, type MissingVariable } from "./entry-values.ts";
import { isHeaderValue, isHttpUrl } from "./http-syntax.ts";
import { fieldName, type JsonPath } from "./json-path.ts";
import { childEnvironment, type Environment, type InheritEnv } from "./safe-environment.ts";
import { quote } from "./server-name.ts";

/** Where values come from. */
export interface ServerResolverOptions {
  /** Where variables come from, and what a child process inherits. Read anew at each resolution. Default `process.env`. */
  readonly env?: Environment | undefined;
  /** What stdio children inherit on top of the safe names: everything (`true`), or these names. Default `false`. */
  readonly inheritEnv?: InheritEnv | undefined;
  /** What becomes of a variable that is unset and has no default. Default `fail`. */
  readonly missingVariable?: MissingVariable | undefined;
  /** Names in `env` that entries of scope `project` may read; besides them they see their own `env` only. Default none. */
  readonly projectVariables?: readonly string[] | undefined;
}

interface ResolverPolicy {
  readonly environment: Environment;
  readonly inheritEnv: InheritEnv;
  readonly missingVariable: MissingVariable;
  readonly projectVariables: readonly string[];
}

/**
 * Makes the function that fills in a definition's variables, `${NAME}` and `${NAME:-default}`, in `command`, `args`,
 * `env`, `cwd`, `url` and `headers`. Values in `env` are filled in from the environment; all other fields see the entry's
 * own `env` first. A variable that is set but empty counts as set.
 *
 * The function rejects with `MCP_CONFIG_VARIABLE_MISSING`, with `MCP_CONFIG_INVALID` if what comes out cannot be used (an
 * empty command, no http URL, a header with a line break), and with `MCP_ABORTED`. No message contains a value.
 */
export function createServerResolver(options: ServerResolverOptions = {}): ResolveServer {
  return async (definition, { signal }) => {
    if (signal.aborted) {
      const text = `Server ${quote(definition.name)}: resolving it was given up before it began.`;
      throw new McpError("MCP_ABORTED", text, {
        server: definition.name,
        phase: "resolve",
        cause: signal.reason,
      });
    }
    return resolveServer(definition, {
      environment: options.env ?? process.env,
      inheritEnv: options.inheritEnv ?? false,
      missingVariable: options.missingVariable ?? "fail",
      projectVariables: options.projectVariables ?? [],
    });
  };
}

function resolveServer(definition: ServerDefinition, policy: ResolverPolicy): ResolvedServer {
  const { name, limits } = definition;
  const common = { name, limits: limits && { ...limits } };
  if (definition.transport === "in-process") {
    return { ...common, transport: "in-process", server: definition.server, secrets: [] };
  }
  const values = createEntryValues(definition, policy);
  const resolved =
    definition.transport === "stdio"
      ? resolveProcess(definition, values, policy)
      : resolveRemote(definition, values);
  return { ...common, ...resolved, secrets: [...values.secrets].filter((secret) => secret !== "") };
}

function resolveProcess(definition: StdioServerDefinition, values: EntryValues, policy: ResolverPolicy) {
  const command = values.expand(definition.command, ["command"]);
  const args = (definition.args ?? []).map((text, index) => values.expand(text, ["args", index]));
  const cwd = values.expand(definition.cwd ?? "", ["cwd"]);
  values.checkComplete();
  if (command === "") throw unusable(definition, ["command"], "is empty once its variables are filled in");
  const { file } = definition.definedIn;
  const anchored =
    file === undefined
      ? { command, cwd }
      : { command: anchorCommand(command, dirname(file)), cwd: cwd && anchorPath(cwd, dirname(file)) };
  const env = childEnvironment(policy.environment, policy.inheritEnv, values.env, process.platform);
  return {
    transport: definition.transport,
    command: anchored.command,
    args,
    env,
    inherited: Object.keys(env).filter((name) => !Object.hasOwn(values.env, name)),
    cwd: anchored.cwd === "" ? undefined : anchored.cwd,
  };
}

function resolveRemote(definition: HttpServerDefinition | SseServerDefinition, values: EntryValues) {
  const url = values.expand(definition.url, ["url"]);
  const headers = values.expandAll(definition.headers, ["headers"]);
  values.checkComplete();
  if (!isHttpUrl(url)) {
    throw unusable(definition, ["url"], "is no http(s) URL once its variables are filled in");
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderValue(value)) {
      const fault = "has a character that no header can carry, such as a line break at its end";
      throw unusable(definition, ["headers", name], fault);
    }
    for (const secret of secretsOfHeader(value)) values.secrets.add(secret);
  }
  return { transport: definition.transport, url, headers };
}

/** What came out cannot be used. The values stay out of the message, and out of a cause: they may be secret. */
function unusable({ name, definedIn }: ServerDefinition, path: JsonPath, fault: string): McpError {
  const { file, line, column, pointer } = definedIn;
  const text = `${quote(fieldName(path))} ${fault}; check the values it is made of.`;
  return invalidServer(name, { file, line, column, pointer }, text, "resolve");
}
