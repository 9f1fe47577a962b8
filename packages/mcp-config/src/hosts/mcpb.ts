import { isRecord, type ServerDefinition } from "@jackfield/mcp-core";
import { GAP, type HostFault, type ReshapeContext } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import { type JsonMap, type JsonPath, kindOf, ownMember } from "../read/json-value.ts";
import { braces } from "../resolve/variable-syntax.ts";
import type { Answer } from "../resolve/variables.ts";
import type { FindServers, HostDialect } from "./host-dialect.ts";

/** The prefix of an `input`'s id; the rest of the id is a key in the manifest's object of this name. */
const USER_CONFIG = "user_config";

/**
 * The manifest of a bundle (MCPB, formerly DXT): one server, named after the bundle. Values that the user is asked for are in
 * `user_config`; whatever else the manifest says about the bundle stays in the file.
 */
export const MCPB: HostDialect = {
  id: "mcpb",
  title: "MCP bundle (MCPB)",
  format: "json",
  files: [],
  scope: "extension",
  servers: findServer,
  entry: {
    examples: [{ mcp_config: { command: GAP } }],
    transport: { types: {}, untypedUrl: "refused" },
    fields: { command: "command", args: "args", env: "env" },
    switches: "none",
    extraFields: ["type", "entry_point", "mcp_config", USER_CONFIG],
    reshape,
    writtenAt,
    findFault,
    readExpansionData: ({ [USER_CONFIG]: userConfig }) =>
      isRecord(userConfig) ? { [USER_CONFIG]: userConfig } : undefined,
  },
  variables: {
    syntaxes: [
      braces({
        places: ["__dirname", "HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS", "/", "pathSeparator"],
        inputs: [`${USER_CONFIG}.`],
      }),
    ],
    whenUnset: "fail",
    ownEnv: "remote",
    unanswered,
    withoutUnanswered,
  },
};

function findServer({ name, [USER_CONFIG]: userConfig }: JsonMap): ReturnType<FindServers> {
  return [
    { path: ["server"], name: typeof name === "string" ? name : "", beside: { [USER_CONFIG]: userConfig } },
  ];
}

/** Settings for one platform replace the general ones, field by field; `env` is replaced as a whole. */
function reshape({ mcp_config: launch }: JsonMap, { platform }: ReshapeContext): JsonMap {
  if (!isRecord(launch)) return {};
  const { platform_overrides: overrides, ...general } = launch;
  const special = isRecord(overrides) ? ownMember(overrides, platform) : undefined;
  return isRecord(special) ? { ...general, ...special } : general;
}

function writtenAt(path: JsonPath, { mcp_config: launch }: JsonMap, platform: NodeJS.Platform): JsonPath {
  const [field] = path;
  if (field === undefined || !isRecord(launch)) return path;
  const { platform_overrides: overrides } = launch;
  const special = isRecord(overrides) ? ownMember(overrides, platform) : undefined;
  const isSpecial = isRecord(special) && Object.hasOwn(special, field);
  return ["mcp_config", ...(isSpecial ? ["platform_overrides", platform] : []), ...path];
}

/**
 * `mcp_config` says how a bundle is started. Only those of type `uv` may omit it (schema 0.4). Their installer makes an environment
 * for them, so that `entry_point` alone does not tell how to start them.
 */
function findFault({ type, entry_point: entryPoint, mcp_config: launch }: JsonMap): HostFault | undefined {
  if (isRecord(launch)) return undefined;
  if (launch !== undefined) {
    return { field: "mcp_config", text: `"mcp_config" must be an object, not ${kindOf(launch)}.` };
  }
  const lacking = `it has no "mcp_config", which says how it is started`;
  if (type !== "uv") return { field: "", text: `${lacking}; add "mcp_config" with "command" and "args".` };
  const file = typeof entryPoint === "string" ? entryPoint : "server.py";
  const args = ["run", "--directory", "${__dirname}", file].map(quote).join(", ");
  const text = `${lacking}; Jackfield does not install bundles of type "uv". Add "mcp_config": { "command": "uv", "args": [${args}] }.`;
  return { field: "", text };
}

/**
 * Leaves out variables of the environment, and arguments, that are nothing but an optional value without an answer. An argument after a
 * flag stays, empty, because the flag would take the next one for its value.
 */
function withoutUnanswered<T extends ServerDefinition>(
  definition: T,
  isAnswered: (id: string) => boolean,
): T {
  if (definition.transport !== "stdio") return definition;
  const isIdle = (text: string) => {
    const [, id = ""] = /^\$\{([^{}]+)\}$/.exec(text) ?? [];
    return id.startsWith(`${USER_CONFIG}.`) && !isAnswered(id) && unanswered(id, definition) === "";
  };
  const { args = [], env = {} } = definition;
  return {
    ...definition,
    args: args.filter((text, index) => !isIdle(text) || args[index - 1]?.startsWith("-")),
    env: Object.fromEntries(Object.entries(env).filter(([, text]) => !isIdle(text))),
  };
}

/**
 * The manifest's default. An optional value without one is empty, as in Claude Code since 2.1.119: the reference implementation
 * leaves the reference as it is, which servers then take for an answer. Where several answers are allowed, there are none.
 */
function unanswered(id: string, { extra }: ServerDefinition): Answer | undefined {
  const userConfig = extra?.[USER_CONFIG];
  const option = isRecord(userConfig) ? ownMember(userConfig, id.slice(USER_CONFIG.length + 1)) : undefined;
  if (!isRecord(option)) return undefined;
  const { default: given, multiple, required } = option;
  if (Array.isArray(given)) return given.flatMap((element: unknown) => textOf(element) ?? []);
  const optional = multiple === true ? [] : "";
  return textOf(given) ?? (required === true ? undefined : optional);
}

function textOf(value: unknown): string | undefined {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar ? String(value) : undefined;
}
