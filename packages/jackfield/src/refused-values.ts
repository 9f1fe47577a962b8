import {
  type AuthPort,
  type Connector,
  isMcpError,
  type Logger,
  type McpError,
  type ResolvedServer,
  type ResolveOptions,
  type ResolveServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { createRenewableSession } from "./renewable-session.ts";

interface Ports {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
}

export interface RefusalOptions {
  /** Whether the resolver runs commands in the place of values. */
  readonly runsCommands: boolean;
  /** Told of what is left out because its command has printed nothing that can be used. */
  readonly log: Logger;
}

/** Where a value of some host's entry may have a command in it. */
const COMMAND = /^!|\$\(/;

/**
 * `refused`: the values are not offered again. `doubted`: the authorization server, down or busy, has kept anybody from saying whether it was
 * they or a token that was refused, so the same ones may be.
 */
type Suspicion = "refused" | "doubted";

/**
 * Joins a resolver and a connector so that the first is told when a server refused what it was given (401): a value that can be
 * renewed is then renewed, not offered again. A session that was opened with the output of commands ends for it.
 */
export function tellOfRefusals(ports: Ports, { runsCommands, log }: RefusalOptions): Ports {
  /** Of which servers' values, each as somebody's: what one user's server refuses says nothing of another's. */
  const suspicions = new Map<string, Suspicion>();
  /** Whose values commands may have printed. */
  const renewable = new WeakSet<ResolvedServer>();
  const told = new Map<string, string>();
  const key = (server: string, principal: string | undefined) => JSON.stringify([server, principal]);

  function tellOfOmissions(definition: ServerDefinition, server: ResolvedServer): void {
    const { written, given } = valuesOf(definition, server);
    const commands = Object.keys(written).filter((name) => COMMAND.test(written[name] ?? ""));
    const names = commands.filter((name) => !Object.hasOwn(given, name));
    const subject = JSON.stringify([server.name, commands]);
    const missing = names.join(", ");
    if (missing !== "" && told.get(subject) !== missing)
      log("warn", "values are left out, because their commands failed or print what the server refused", {
        server: server.name,
        names,
      });
    if (commands.length > 0) told.set(subject, missing);
  }

  /**
   * Has the commands run anew, and takes nothing from anybody: they are refused by a user who is not there. If they print what they did
   * before, they are not run for another doubt before the resolver would run refused ones again.
   */
  async function runAnew(definition: ServerDefinition, { signal, principal }: ResolveOptions): Promise<void> {
    const nobody = `\0${principal ?? ""}`;
    for (const rejected of [false, true]) {
      // What goes wrong does so again for whoever is there.
      await ports.resolve(definition, { signal, principal: nobody, rejected }).catch(() => undefined);
    }
  }

  return {
    async resolve(definition, options) {
      const subject = key(definition.name, options.principal);
      const suspicion = suspicions.get(subject);
      suspicions.delete(subject);
      if (suspicion === "doubted") await runAnew(definition, options);
      const asked = suspicion === "refused" ? { ...options, rejected: true } : options;
      const server = await ports.resolve(definition, asked);
      if (runsCommands && mayRunCommands(definition)) {
        renewable.add(server);
        tellOfOmissions(definition, server);
      }
      return server;
    },
    async connect(server, options) {
      const subject = key(server.name, options.principal);
      const { auth, unmet } = followChallenges(options.auth);
      const isRefusal = (error: unknown) => isRefused(error) || isOf(unmet(), error);
      const refuse = () => {
        // Whoever resolves in a way of his own is told of every 401, and knows himself what to do.
        const error = unmet();
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

/** The same port, and what has kept the last 401 from being met, if that may be tried again. */
function followChallenges(auth: AuthPort | undefined) {
  let last: McpError | undefined;
  const following: AuthPort | undefined = auth && {
    headers: (server) => auth.headers(server),
    async onChallenge(server, challenge, signal) {
      try {
        const verdict = await auth.onChallenge(server, challenge, signal);
        last = undefined;
        return verdict;
      } catch (error) {
        const isUnmet = challenge.status === 401 && isMcpError(error) && error.retryable;
        last = isUnmet ? error : undefined;
        throw error;
      }
    },
  };
  return { auth: following, unmet: () => last };
}

/** Answers of a server that is busy. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Whether what has kept a 401 from being met passes, so that nobody has judged what was sent. Other errors that may be tried again can
 * last for ever. `isPassing` of mcp-auth (`flow/outage.ts`) is the same; that package is loaded only for those who have logged in.
 */
function isPassing({ code, httpStatus }: McpError): boolean {
  if (httpStatus !== undefined) return httpStatus >= 500 || BUSY.has(httpStatus);
  return code === "MCP_CONNECT_FAILED" || code === "MCP_CONNECT_TIMEOUT";
}

/** Whether an error is that of a challenge. It need not be the same object: values that were filled in are hidden in it. */
function isOf(unmet: McpError | undefined, error: unknown): boolean {
  if (unmet === undefined || !isMcpError(error)) return false;
  return error.code === unmet.code && error.httpStatus === unmet.httpStatus;
}

/** A 403 refuses what is asked for, not what it was asked with. Somebody else's `AuthPort` may have told no status. */
function isRefused(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  const { code, httpStatus } = error;
  return httpStatus === 401 || (httpStatus === undefined && code === "MCP_AUTH_REQUIRED");
}

/** Whether the resolver may have filled in what a command printed; it never runs one of a project or an extension. */
function mayRunCommands(definition: ServerDefinition): boolean {
  const { scope } = definition.definedIn;
  if (scope === "project" || scope === "extension" || definition.transport === "in-process") return false;
  const { env = {} } = definition;
  const others =
    definition.transport === "stdio" ? [] : [definition.url, ...Object.values(definition.headers ?? {})];
  return [...Object.values(env), ...others].some((text) => COMMAND.test(text));
}

/** What is left out as a whole where it is nothing but a command that failed. */
function valuesOf(definition: ServerDefinition, server: ResolvedServer) {
  if (definition.transport === "stdio" && server.transport === "stdio")
    return { written: definition.env ?? {}, given: server.env };
  if ("headers" in definition && "headers" in server)
    return { written: definition.headers ?? {}, given: server.headers };
  return { written: {}, given: {} };
}
