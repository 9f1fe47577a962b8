import {
  type Connector,
  isMcpError,
  type Logger,
  type ResolvedServer,
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
 * Joins a resolver and a connector so that the first is told when a server refused what it was given (401): a value that can be
 * renewed is then renewed, not offered again. A session that was opened with the output of commands ends for it.
 */
export function tellOfRefusals(ports: Ports, { runsCommands, log }: RefusalOptions): Ports {
  /** Of which servers, each as somebody: what one user's server refuses says nothing of another's. */
  const refused = new Set<string>();
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

  return {
    async resolve(definition, options) {
      const rejected = refused.delete(key(definition.name, options.principal)) || options.rejected;
      const asked = rejected === undefined ? options : { ...options, rejected };
      const server = await ports.resolve(definition, asked);
      if (runsCommands && mayRunCommands(definition)) {
        renewable.add(server);
        tellOfOmissions(definition, server);
      }
      return server;
    },
    async connect(server, options) {
      const refuse = () => void refused.add(key(server.name, options.principal));
      try {
        const session = await ports.connect(server, options);
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

/** A 403 refuses what is asked for, not what it was asked with. Somebody else's `AuthPort` may have told no status. */
function isRefusal(error: unknown): boolean {
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
