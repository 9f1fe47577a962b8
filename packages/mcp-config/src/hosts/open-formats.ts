import { isRecord } from "@jackfield/mcp-core";
import { COMMON_FIELDS, type HostFault, TYPED_EXAMPLES } from "../entry/entry-dialect.ts";
import { quote } from "../entry/server-name.ts";
import type { JsonMap } from "../read/json-value.ts";
import { braces, sourceChain } from "../resolve/variable-syntax.ts";
import { hasVariables } from "../resolve/variables.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";

/** Variables that the client sets for a plugin. */
const RESERVED = ["PLUGIN_ROOT", "PLUGIN_DATA"];

/** The `mcp.json` of a plugin in the Agent Plugins format, version 1. Only the installer of plugins knows where they are. */
export const AGENT_PLUGINS: HostDialect = {
  id: "agent-plugins",
  title: "Agent Plugins",
  format: "json",
  files: [],
  scope: "extension",
  servers: serversUnder("mcpServers"),
  entry: {
    examples: TYPED_EXAMPLES,
    transport: {
      field: "type",
      types: { stdio: "stdio", "streamable-http": "http", sse: "sse" },
      untypedUrl: "refused",
    },
    fields: COMMON_FIELDS,
    findFault,
  },
  variables: {
    syntaxes: [braces({ places: RESERVED })],
    whenUnset: "fail",
    ownEnv: "remote",
    childVariables: RESERVED,
  },
};

/** Sections 4.1, 7.2.1 and 9.2 of its specification. A command below `${PLUGIN_ROOT}` is tolerated, since it works as intended. */
function findFault({ type, command, cwd, env, url }: JsonMap): HostFault | undefined {
  if (type === undefined) return { field: "", text: `"type" is required in this format.` };
  const isBare = typeof command !== "string" || !(/[\\/]/.test(command) || hasVariables(command));
  if (!isBare && !isInside(command, ["${PLUGIN_ROOT}"])) {
    const text = `"command" must be a bare name, or begin with ./ and stay inside the plugin, in this format.`;
    return { field: "command", text };
  }
  if (typeof cwd === "string" && !isInside(cwd, ["${PLUGIN_ROOT}", "${PLUGIN_DATA}"])) {
    const text = `"cwd" must begin with ./, \${PLUGIN_ROOT} or \${PLUGIN_DATA}, and stay inside it, in this format.`;
    return { field: "cwd", text };
  }
  const reserved = isRecord(env) ? RESERVED.find((name) => Object.hasOwn(env, name)) : undefined;
  if (reserved !== undefined) {
    return {
      field: "env",
      text: `${quote(reserved)} in "env" is set by the client in this format; remove it.`,
    };
  }
  return typeof url === "string" ? addressFault(url) : undefined;
}

/** Whether a path begins in `.` or one of the folders and does not leave it, whatever its variables hold. */
function isInside(path: string, folders: readonly string[]): boolean {
  const [first = "", ...steps] = path.split(/[\\/]/);
  if (hasVariables(path.slice(first.length))) return false;
  let depth = 0;
  for (const step of steps) {
    if (step === "..") depth -= 1;
    else if (step !== "." && step !== "") depth += 1;
    if (depth < 0) return false;
  }
  return first === "." ? steps.length > 0 : folders.includes(first);
}

function addressFault(url: string): HostFault | undefined {
  // The host decides what is allowed, and the port which of its programs is reached, so both must be known before expansion.
  const beginning = /^[^/]*\/\/[^/?#]*/.exec(url)?.[0] ?? url;
  if (beginning.includes("${")) {
    const text = `"url" must not use variables for its scheme, host or port in this format.`;
    return { field: "url", text };
  }
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(url))
    return { field: "url", text: `"url" must not contain a user name in this format.` };
  if (url.includes("#")) return { field: "url", text: `"url" must not have a fragment in this format.` };
  if (!isOpenlyRemote(url)) return undefined;
  return {
    field: "url",
    text: `"url" must begin with https:// in this format, unless it points to this machine.`,
  };
}

function isOpenlyRemote(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A draft of a common format (SEP-2633). It says nothing about where files are, and requires a type. */
export const SEP_2633: HostDialect = {
  id: "sep-2633",
  title: "mcp.json (SEP-2633)",
  format: "json",
  files: [],
  servers: serversUnder("mcpServers"),
  entry: {
    examples: TYPED_EXAMPLES,
    transport: {
      field: "type",
      types: { stdio: "stdio", sse: "sse", "streamable-http": "http" },
      untypedUrl: "refused",
    },
    fields: {
      command: "command",
      args: "args",
      env: "env",
      url: "url",
      headers: "headers",
      title: "title",
      description: "description",
    },
    oauth: { object: "oauth" },
    findFault: sepFault,
  },
  variables: { syntaxes: [sourceChain], whenUnset: "fail", ownEnv: "remote" },
};

/** Fields of the one kind of server, which the other must not have. */
const OF_REMOTES = ["url", "headers", "oauth"];
const OF_PROCESSES = ["command", "args", "env"];

function sepFault(entry: JsonMap, name: string): HostFault | undefined {
  if (!/^[\w[\]-]+$/.test(name)) {
    return { field: "", text: "a name consists of letters, digits, _, -, [ and ] in this format." };
  }
  const { type } = entry;
  if (type === undefined) return { field: "", text: `"type" is required in this format.` };
  const field = (type === "stdio" ? OF_REMOTES : OF_PROCESSES).find((other) => Object.hasOwn(entry, other));
  return field === undefined
    ? undefined
    : { field, text: `${quote(field)} is not allowed with this "type" in this format; remove it.` };
}
