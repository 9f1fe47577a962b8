import type { ErrorReport, ServerSnapshot } from "@jackfield/mcp-core";

/** What a server needs before it can be used: an approval, a login, or the variable of this name. */
export function needOf({ error }: Pick<ServerSnapshot, "error">): string | undefined {
  if (error === undefined) return undefined;
  if (error.code === "MCP_APPROVAL_REQUIRED") return "approval";
  if (error.code === "MCP_AUTH_REQUIRED" && asksForLogin(error)) return "login";
  return error.code === "MCP_CONFIG_VARIABLE_MISSING" ? missingName(error) : undefined;
}

/** A server whose entry sends a credential of its own is not helped by a login. */
function asksForLogin({ message }: ErrorReport): boolean {
  return message.includes("Log in with: ");
}

/** The first name in the error of missing variables. */
function missingName({ message }: ErrorReport): string | undefined {
  return /\) refers to [^:]*: "((?:[^"\\]|\\.)+?)" (?:in|as) /.exec(message)?.[1];
}

/** The state of a server in a word or two: `ready`, `on demand`, `starting`, `needs …` or `failed`. */
export function wordOf(server: ServerSnapshot): string {
  const { status, error } = server;
  const need = needOf(server);
  if (need !== undefined) return `needs ${need}`;
  if (error !== undefined) return "failed";
  if (status === "ready") return "ready";
  if (status === "idle") return "on demand";
  return status === "connecting" ? "starting" : status;
}

/** The same for a server that has nothing to offer; `undefined` if nothing is wrong with it. */
export function troubleOf(server: ServerSnapshot): string | undefined {
  if (server.error !== undefined) return wordOf(server);
  return server.status === "ready" ? undefined : "not started";
}
