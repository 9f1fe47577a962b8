import {
  isMcpError,
  type McpError,
  type ResolvedRemoteServer,
  type ResolvedStdioServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { createServerResolver, type ServerResolverOptions } from "../src/index.ts";

export const IN_FILE = { scope: "explicit", file: "/project/mcp.json", line: 4, column: 5 } as const;
export const IN_PROJECT = { ...IN_FILE, scope: "project" } as const;

export type Written<T extends ServerDefinition["transport"]> = Partial<
  Extract<ServerDefinition, { transport: T }>
>;

export function stdio(written: Written<"stdio"> = {}): ServerDefinition {
  return { name: "s", definedIn: IN_FILE, transport: "stdio", command: "npx", ...written };
}

export function http(written: Written<"http"> = {}): ServerDefinition {
  return { name: "s", definedIn: IN_FILE, transport: "http", url: "https://host/mcp", ...written };
}

export const signal: AbortSignal = new AbortController().signal;

export async function resolveStdio(written: Written<"stdio">, options: ServerResolverOptions = {}) {
  const resolver = createServerResolver({ env: {}, isAdmitted: () => true, ...options });
  return (await resolver(stdio(written), { signal })) as ResolvedStdioServer;
}

export async function resolveHttp(written: Written<"http">, options: ServerResolverOptions = {}) {
  const resolver = createServerResolver({ env: {}, isAdmitted: () => true, ...options });
  return (await resolver(http(written), { signal })) as ResolvedRemoteServer;
}

export async function refused(attempt: Promise<unknown>): Promise<McpError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isMcpError(error)) return error;
  throw new Error("the definition was resolved", { cause: error });
}
