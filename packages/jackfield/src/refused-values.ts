import {
  type AuthPort,
  isMcpError,
  type Logger,
  type McpError,
  type ResolvedServer,
  type ResolveOptions,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { createRenewableSession } from "./renewable-session.ts";
import type { ServerPorts } from "./server-ports.ts";

export interface RefusalOptions {
  /** Whether the resolver runs commands in the place of values. */
  readonly runsCommands: boolean;
  /** Warned of values that are omitted because their commands printed nothing usable. */
  readonly log: Logger;
}

/** Syntax of a value that may contain a command, in the dialect of any host. */
const COMMAND = /^!|\$\(/;

/**
 * `refused`: the values are not offered again. `doubted`: they may be, because the authorization server was down or busy, so it is unknown
 * whether they or a token was refused.
 */
type Suspicion = "refused" | "doubted";

/**
 * Joins a resolver and a connector, so that the resolver learns when a server refused its values (401): values that can be renewed are then
 * renewed, not offered again. A session that was opened with the output of commands ends on a refusal.
 */
export function renewRefusedValues(ports: ServerPorts, { runsCommands, log }: RefusalOptions): ServerPorts {
  /** By server and principal: a refusal for one user says nothing about another's values. */
  const suspicions = new Map<string, Suspicion>();
  /** Servers whose values may be output of commands. */
  const renewable = new WeakSet<ResolvedServer>();
  const warnedOmissions = new Map<string, string>();
  const key = (server: string, principal: string | undefined) => JSON.stringify([server, principal]);

  function warnOfOmissions(definition: ServerDefinition, server: ResolvedServer): void {
    const { written, given } = valuesOf(definition, server);
    const commands = Object.keys(written).filter((name) => COMMAND.test(written[name] ?? ""));
    const names = commands.filter((name) => !Object.hasOwn(given, name));
    const subject = JSON.stringify([server.name, commands]);
    const missing = names.join(", ");
    if (missing !== "" && warnedOmissions.get(subject) !== missing)
      log(
        "warn",
        "Values are left out, because their commands failed or printed values that the server refused.",
        {
          server: server.name,
          names,
        },
      );
    if (commands.length > 0) warnedOmissions.set(subject, missing);
  }

  /**
   * Runs the commands again without discarding anyone's values: it reports a refusal for a principal that does not exist. If they print the
   * same, another doubt does not run them again before the resolver would rerun refused ones.
   */
  async function rerunCommands(
    definition: ServerDefinition,
    { signal, principal }: ResolveOptions,
  ): Promise<void> {
    const nobody = `\0${principal ?? ""}`;
    for (const rejected of [false, true]) {
      // An error occurs again when the real principal is resolved.
      await ports.resolve(definition, { signal, principal: nobody, rejected }).catch(() => undefined);
    }
  }

  return {
    async resolve(definition, options) {
      const subject = key(definition.name, options.principal);
      const suspicion = suspicions.get(subject);
      suspicions.delete(subject);
      if (suspicion === "doubted") await rerunCommands(definition, options);
      const asked = suspicion === "refused" ? { ...options, rejected: true } : options;
      const server = await ports.resolve(definition, asked);
      if (runsCommands && mayRunCommands(definition)) {
        renewable.add(server);
        warnOfOmissions(definition, server);
      }
      return server;
    },
    async connect(server, options) {
      const subject = key(server.name, options.principal);
      const { auth, challengeError } = observeChallenges(options.auth);
      const isRefusal = (error: unknown) => isRefused(error) || isSameError(challengeError(), error);
      const refuse = () => {
        // Where no command ran, every 401 is reported: a custom resolver decides for itself.
        const error = challengeError();
        if (!renewable.has(server) || error === undefined || !isPassing(error))
          suspicions.set(subject, "refused");
        else if (!suspicions.has(subject)) suspicions.set(subject, "doubted");
      };
      try {
        const session = await ports.connect(server, { ...options, auth });
        return renewable.has(server)
          ? createRenewableSession(session, { server: server.name, isRefusal, refuse })
          : session;
      } catch (error) {
        if (isRefusal(error)) refuse();
        throw error;
      }
    },
  };
}

/** The same port, and the retryable error that kept it from answering the last 401, if any. */
function observeChallenges(auth: AuthPort | undefined) {
  let last: McpError | undefined;
  const observedAuth: AuthPort | undefined = auth && {
    headers: (server) => auth.headers(server),
    async onChallenge(server, challenge, signal) {
      try {
        const verdict = await auth.onChallenge(server, challenge, signal);
        last = undefined;
        return verdict;
      } catch (error) {
        const isUnanswered = challenge.status === 401 && isMcpError(error) && error.retryable;
        last = isUnanswered ? error : undefined;
        throw error;
      }
    },
  };
  return { auth: observedAuth, challengeError: () => last };
}

/** Statuses of a busy server. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Whether the retryable error behind an unanswered 401 is temporary, so that nothing judged the values. Other retryable errors can last for
 * ever. `isPassing` of mcp-auth (`flow/outage.ts`) decides the same; that package is loaded only for logins.
 */
function isPassing({ code, httpStatus }: McpError): boolean {
  if (httpStatus !== undefined) return httpStatus >= 500 || BUSY.has(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}

/** Whether an error is that of a challenge. It need not be the same object: secrets are hidden in a copy. */
function isSameError(challengeError: McpError | undefined, error: unknown): boolean {
  if (challengeError === undefined || !isMcpError(error)) return false;
  return error.code === challengeError.code && error.httpStatus === challengeError.httpStatus;
}

/** A 403 refuses the request, not the credentials. A custom `AuthPort` may give no status. */
function isRefused(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  const { code, httpStatus } = error;
  return httpStatus === 401 || (httpStatus === undefined && code === "MCP_AUTH_REQUIRED");
}

/** Whether the resolver may have filled in command output; it runs no commands of projects and extensions. */
function mayRunCommands(definition: ServerDefinition): boolean {
  const { scope } = definition.definedIn;
  if (scope === "project" || scope === "extension" || definition.transport === "in-process") return false;
  const { env = {} } = definition;
  const others =
    definition.transport === "stdio" ? [] : [definition.url, ...Object.values(definition.headers ?? {})];
  return [...Object.values(env), ...others].some((text) => COMMAND.test(text));
}

/** Fields whose values are omitted if their command failed: as written, and as resolved. */
function valuesOf(definition: ServerDefinition, server: ResolvedServer) {
  if (definition.transport === "stdio" && server.transport === "stdio")
    return { written: definition.env ?? {}, given: server.env };
  if ("headers" in definition && "headers" in server)
    return { written: definition.headers ?? {}, given: server.headers };
  return { written: {}, given: {} };
}
