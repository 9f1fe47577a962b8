import {
  type DefinedIn,
  type InProcessServerDefinition,
  isRecord,
  type ServerLimits,
  type ToolFilter,
} from "@jackfield/mcp-core";
import type { ConfigDiagnostic } from "../diagnostic-codes.ts";
import { type JsonPath, jsonPointer } from "../documents/json-path.ts";
import { kindOf } from "../documents/json-value.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { invalidSource } from "./config-problem.ts";
import { readSourceEntry, type ServerSource, unreadableEntry } from "./server-source.ts";

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
  readonly headers?: { readonly [name: string]: string } | undefined;
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
export function readInlineServers(servers: unknown, cwd: string): ServerSource {
  const diagnostics: ConfigDiagnostic[] = [];
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
      locate,
    };
    let entry: unknown;
    try {
      entry = servers[name];
    } catch (cause) {
      return unreadableEntry(name, definedIn, cause);
    }
    return readSourceEntry(entry, entryContext, (diagnostic) => diagnostics.push(diagnostic));
  });
  return { entries, problems: [], diagnostics };
}

function namesOf(servers: unknown): readonly string[] | undefined {
  try {
    return isRecord(servers) ? Object.keys(servers) : undefined;
  } catch {
    return undefined;
  }
}
