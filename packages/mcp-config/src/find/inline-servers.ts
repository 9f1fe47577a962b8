import {
  type DefinedIn,
  type InProcessServerDefinition,
  isRecord,
  type MakeHeaders,
  type OAuthSettings,
  type ServerLimits,
  type SourceLocation,
  type ToolFilter,
} from "@jackfield/mcp-core";
import {
  type Reporting,
  readSourceEntry,
  type ServerSource,
  type SourceEntry,
  unreadableEntry,
} from "../entry/entry.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { type JsonPath, jsonPointer, kindOf } from "../read/json-value.ts";
import { type ConfigDiagnostic, invalidServer, invalidSource } from "./diagnostics.ts";

/** Options of every entry, whatever its transport. Limits are fields of the entry itself. */
export interface InlineServerOptions extends ServerLimits {
  /** `false` switches the server off. Default true. */
  readonly enabled?: boolean | undefined;
  /** `true` switches the server off. Default false. */
  readonly disabled?: boolean | undefined;
  /** Connect at first use only. Default false. */
  readonly lazy?: boolean | undefined;
  /** The server holds no user's data: all users of one runtime share its session and its catalog entry. Default false. */
  readonly shared?: boolean | undefined;
  readonly tools?: ToolFilter | undefined;
  /** Other hosts' name for `callTimeoutMs`, in milliseconds; `callTimeoutMs` wins. */
  readonly timeout?: number | undefined;
}

/** A server that is a child process. */
export interface InlineStdioServer extends InlineServerOptions {
  readonly type?: "stdio" | undefined;
  /** One executable, never a shell line. A relative path is relative to `cwd` of `loadServers`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  /** A file of `NAME=value` lines, which `env` overrides. A relative path is relative to `cwd` of `loadServers`. */
  readonly envFile?: string | undefined;
  /** A relative path is relative to `cwd` of `loadServers`. */
  readonly cwd?: string | undefined;
}

/** A server behind a URL; without `type` it speaks Streamable HTTP. */
export interface InlineRemoteServer extends InlineServerOptions {
  readonly type?: "http" | "streamable-http" | "streamableHttp" | "sse" | undefined;
  readonly url: string;
  /**
   * Headers, whose values may refer to variables; or a function that makes those of a user, `({ principal, rejected, signal }) => ({ authorization })`.
   * It is awaited for each session, and again when the server has refused its headers (401). Whatever it returns counts as a credential.
   */
  readonly headers?: { readonly [name: string]: string } | MakeHeaders | undefined;
  /** What a login to it uses; `false` switches logins off. */
  readonly oauth?: OAuthSettings | false | undefined;
  /** Variables for `url` and `headers`; they override the process environment. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** A file of `NAME=value` lines, which `env` overrides. A relative path is relative to `cwd` of `loadServers`. */
  readonly envFile?: string | undefined;
}

/** A server in this process: an instance, or a function that makes or imports one for each session. */
export interface InlineInProcessServer extends InlineServerOptions {
  readonly server: InProcessServerDefinition["server"];
}

/** A server given in code, in the shape in which configuration files hold it. */
export type InlineServer = InlineStdioServer | InlineRemoteServer | InlineInProcessServer;

/** Reads the `servers` option. It may come from untyped code, so it is checked as a file is. */
export async function readInlineServers(
  servers: unknown,
  cwd: string,
  remarks: boolean | undefined,
): Promise<ServerSource> {
  const diagnostics: ConfigDiagnostic[] = [];
  const reporting: Reporting = {
    // It is not loaded for a start.
    remarksOn: remarks === true ? (await import("./search.ts")).remarksOn : undefined,
    report: (diagnostic) => diagnostics.push(diagnostic),
  };
  const names = namesOf(servers);
  if (!isRecord(servers) || names === undefined) {
    const definedIn: DefinedIn = { scope: "explicit", pointer: "/servers" };
    const given = isRecord(servers) ? "one whose members cannot be listed" : kindOf(servers);
    const error = invalidSource(definedIn, `it must be an object of servers by name, not ${given}.`);
    return { entries: [], problems: [{ definedIn, error, kind: "ConfigShapeError" }], diagnostics };
  }
  const entries = names.map((name) => {
    const locate = (path: JsonPath) => ({ pointer: jsonPointer(["servers", name, ...path]) });
    const definedIn: DefinedIn = { scope: "explicit", ...locate([]) };
    const { entry: dialect, variables } = JACKFIELD;
    const { platform } = process;
    const entryContext = {
      name,
      definedIn,
      directory: cwd,
      inCode: true,
      dialect,
      variables,
      platform,
    };
    try {
      const entry = servers[name];
      if (!isRecord(entry) || typeof entry.headers !== "function")
        return readSourceEntry(entry, entryContext, locate, reporting);
      const { headers, ...rest } = entry;
      const read = readSourceEntry(rest, entryContext, locate, reporting);
      return withMadeHeaders(read, headers as MakeHeaders, locate(["headers"]));
    } catch (cause) {
      return unreadableEntry(name, definedIn, cause);
    }
  });
  return { entries, problems: [], diagnostics };
}

function withMadeHeaders(read: SourceEntry, makeHeaders: MakeHeaders, location: SourceLocation): SourceEntry {
  const { outcome } = read;
  if ("error" in outcome) return read;
  const { definition } = outcome;
  if (definition.transport === "http" || definition.transport === "sse")
    return { ...read, outcome: { ...outcome, definition: { ...definition, makeHeaders } } };
  const fault = '"headers" are for servers with a "url"; give a local one its credentials in "env".';
  return { ...read, outcome: { error: invalidServer(read.name, location, fault) } };
}

function namesOf(servers: unknown): readonly string[] | undefined {
  try {
    return isRecord(servers) ? Object.keys(servers) : undefined;
  } catch {
    return undefined;
  }
}
