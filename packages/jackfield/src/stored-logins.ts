import type { OAuth } from "@jackfield/mcp-auth";
import type { AuthPort, Logger, ResolvedServer, ResolveServer, ServerDefinition } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { type ClosingDeadline, waitForClosing } from "./closing-work.ts";
import { entryAuthorization } from "./entry-authorization.ts";
import { knownLoginDirectory } from "./login-directory.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { placeOptions, type SearchedPlaces } from "./searched-places.ts";

/** The logins that `jackfield login` has stored, as the credentials of remote servers. */
export interface StoredLogins {
  readonly auth: AuthPort;
  /** The same resolver; the entry behind each server it resolves is remembered. */
  follow(resolve: ResolveServer): ResolveServer;
  /**
   * Cancels what is in progress. Waits until the deadline for a renewal whose refresh token has been sent; a longer one is logged, and goes
   * on and is stored if the program keeps running.
   */
  close(deadline: ClosingDeadline): Promise<void>;
}

export interface StoredLoginsOptions {
  /** The places that an advised command has to search. */
  readonly places: SearchedPlaces;
  /** How remote servers are reached; their authorization servers are reached in the same way. */
  readonly http: OpenMcpOptions["http"];
  readonly log: Logger;
}

/** How long a running program may take to notice the first login that was ever made. */
const LOOK_INTERVAL_MS = 1_000;

/** The entry of a resolved server, and the principal it is for. */
interface Origin {
  readonly definition: ServerDefinition;
  readonly principal: string | undefined;
}

/**
 * Uses stored logins and never starts one. They belong to the runtime's owner: a server that is reached for a `principal` gets none, and
 * neither does a server object that a custom connector made out of another. The OAuth code is loaded if anyone has ever logged in, or when
 * a server sends a challenge.
 */
export function createStoredLogins({ places, http, log }: StoredLoginsOptions): StoredLogins {
  const directory = knownLoginDirectory();
  if (directory === undefined) return noLogins();
  const origins = new WeakMap<ResolvedServer, Origin>();
  const closing = new AbortController();
  let fill: ResolveServer | undefined;
  let opening: Promise<OAuth> | undefined;

  const settingsOf = async (server: ResolvedServer) => {
    const definition = origins.get(server)?.definition;
    return definition && fill ? entryAuthorization(definition, fill, closing.signal) : undefined;
  };
  const open = async () => {
    const { createFileVault, createOAuth } = await import("@jackfield/mcp-auth");
    const vault = createFileVault({ directory, log });
    return createOAuth({ vault, settingsOf, loginCommand, http, log });
  };
  const loginCommand = (name: string) => ["npx jackfield login", name, ...placeOptions(places)].join(" ");
  /** A failed load is tried again by the next request. */
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const isOwners = (server: ResolvedServer) => {
    const origin = origins.get(server);
    return origin !== undefined && origin.principal === undefined;
  };
  /** Limits looks at the disk: one before every request would be too slow. */
  let nextLookAt = 0;
  const hasLogins = () => {
    if (opening !== undefined) return true;
    if (Date.now() < nextLookAt) return false;
    nextLookAt = Date.now() + LOOK_INTERVAL_MS;
    return fileSystem.existsSync(directory);
  };

  const auth: AuthPort = {
    async headers(server, options) {
      if (!isOwners(server) || !hasLogins()) return {};
      return (await opened()).headers(server, options);
    },
    async account(server, options) {
      if (!isOwners(server) || !hasLogins()) return undefined;
      return (await opened()).account(server, options);
    },
    async onChallenge(server, challenge, options) {
      if (!isOwners(server)) return "fail";
      return (await opened()).onChallenge(server, challenge, options);
    },
  };
  return {
    auth,
    follow(resolve) {
      fill = resolve;
      return async (definition, options) => {
        const server = await resolve(definition, options);
        origins.set(server, { definition, principal: options.principal });
        return server;
      };
    },
    async close(deadline) {
      closing.abort();
      await waitForClosing({
        work: async () => (await opening?.catch(() => undefined))?.close(),
        deadline,
        onLate: (ms) =>
          log(
            "warn",
            `A login was still being renewed after ${ms} ms; it is stored if this program keeps running.`,
          ),
      });
    },
  };
}

/** Without a known home directory, no login can have been stored. */
function noLogins(): StoredLogins {
  const auth: AuthPort = {
    headers: async () => ({}),
    account: async () => undefined,
    onChallenge: async () => "fail",
  };
  return { auth, follow: (resolve) => resolve, close: async () => {} };
}
