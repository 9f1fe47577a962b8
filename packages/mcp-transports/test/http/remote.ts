import {
  type ConnectOptions,
  type McpError,
  type ResolvedRemoteServer,
  type ServerLimits,
  type Session,
  silentLogger,
} from "@jackfield/mcp-core";
import { type HttpFaultScript, type HttpFaultServer, startHttpFaultServer } from "@jackfield/test-kit";
import { type ConnectorOptions, createConnector } from "../../src/index.ts";
import type { HttpOptions } from "../../src/transport.ts";
import { atEnd } from "../cleanup.ts";
import { failureOf } from "../connecting.ts";

/** What a test may change about the way to a server. */
export interface RemoteChanges extends Partial<ConnectOptions> {
  readonly transport?: "http" | "sse" | undefined;
  readonly url?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly secrets?: readonly string[] | undefined;
  readonly limits?: ServerLimits | undefined;
  readonly http?: HttpOptions | undefined;
  readonly extensions?: ConnectorOptions["extensions"];
}

/** A server that follows the script, gone when the test ends. */
export async function startRemote(script: HttpFaultScript = {}): Promise<HttpFaultServer> {
  const remote = await startHttpFaultServer(script);
  atEnd(() => remote.close());
  return remote;
}

/** Connects, and closes the session when the test ends. */
export async function connectTo(
  remote: { readonly url: string },
  changes: RemoteChanges = {},
): Promise<Session> {
  const {
    transport = "http",
    url = remote.url,
    headers = {},
    secrets = [],
    limits,
    http,
    extensions,
    ...options
  } = changes;
  const server: ResolvedRemoteServer = { transport, name: "remote", url, headers, secrets, limits };
  const session = await createConnector({ http, extensions })(server, {
    signal: never,
    log: silentLogger,
    ...options,
  });
  atEnd(() => session.close());
  return session;
}

/** A server and a session with it. */
export async function open(
  script: HttpFaultScript = {},
  changes: RemoteChanges = {},
): Promise<{ readonly remote: HttpFaultServer; readonly session: Session }> {
  const remote = await startRemote(script);
  return { remote, session: await connectTo(remote, changes) };
}

/** The error that connecting to a server fails with. */
export async function refusalOf(script: HttpFaultScript, changes: RemoteChanges = {}): Promise<McpError> {
  return failureOf(connectTo(await startRemote(script), changes));
}

/** How often the server has received a method, or `GET`, `DELETE`. */
export function count({ requests }: HttpFaultServer, what: string): number {
  return requests.filter(({ method, body }) => body?.method === what || method === what).length;
}

/** A signal that never fires. */
export const never: AbortSignal = new AbortController().signal;

/** A call of the tool that answers with its arguments. */
export const ECHO = { name: "echo", arguments: { text: "hello" } };
