import { isMcpError, McpError, type ResolvedServer, thrownMessage } from "@jackfield/mcp-core";
import { adviseOnAuthorization } from "./http-status.ts";
import { withOutcome } from "./known-outcome.ts";
import { excerpt, redactorOf } from "./wording.ts";

/** What the host's auth port threw, and what must not be shown of it besides the credentials of the entry. */
export interface AuthPortFailure {
  readonly thrown: unknown;
  readonly server: ResolvedServer;
  readonly secrets: readonly string[];
}

/** The error of a refused request whose login failed. The session goes on, so no thrown value may look like a lost connection. */
export function failedLoginError({ thrown, server, secrets }: AuthPortFailure): McpError {
  if (isMcpError(thrown)) return withOutcome(thrown, "rejected");
  const redactor = redactorOf(server, secrets);
  const said = excerpt(thrownMessage(thrown), redactor);
  return new McpError(
    "MCP_AUTH_REQUIRED",
    `The login to server "${server.name}" failed: ${said}. ${adviseOnAuthorization(server)}`,
    {
      server: server.name,
      phase: "handshake",
      outcome: "rejected",
      cause: redactor.hideIn(thrown),
    },
  );
}

/** The error of a request without credentials. `wasRefused`: it was to be repeated after a refusal. */
export function missingCredentialsError(
  { thrown, server, secrets }: AuthPortFailure,
  wasRefused: boolean,
): McpError {
  const outcome = wasRefused ? "rejected" : "not-sent";
  if (isMcpError(thrown)) return withOutcome(thrown, outcome);
  const redactor = redactorOf(server, secrets);
  const said = excerpt(thrownMessage(thrown), redactor);
  return new McpError(
    "MCP_CONNECT_FAILED",
    `The credentials for server "${server.name}" could not be read: ${said}. Check that the place where they are stored is available.`,
    { server: server.name, phase: "handshake", outcome, cause: redactor.hideIn(thrown) },
  );
}
