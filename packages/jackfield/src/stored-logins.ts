import type { OAuth } from "@jackfield/mcp-auth";
import type { AuthPort, Logger, ResolvedServer, ResolveServer, ServerDefinition } from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";
import { type ClosingDeadline, waitForClosing } from "./closing-work.ts";
import { entryAuthorization } from "./entry-authorization.ts";
import { knownLoginDirectory } from "./login-directory.ts";
import { placeOptions, type SearchedPlaces } from "./searched-places.ts";

/** The logins that `jackfield login` has stored, as the credentials of remote servers. */
export interface StoredLogins {
  readonly auth: AuthPort;
  /** The same resolver; what it resolves is known from then on by the entry it comes from. */
  follow(resolve: ResolveServer): ResolveServer;
  /**
   * Ends what is under way. Waits for a renewal whose refresh token has been sent, as long as closing may take; one that takes longer goes
   * on while the program runs, and is stored, which is told to the logger.
   */
  close(deadline: ClosingDeadline): Promise<void>;
}

export interface StoredLoginsOptions {
  /** Where a command that is advised finds the servers as well. */
  readonly places: SearchedPlaces;
  readonly log: Logger;
}

/** How long it may take until a running program sees the first login that was ever made. */
const LOOK_INTERVAL_MS = 1_000;

/** Who a resolved server is for, and what its entry is. */
interface Origin {
  readonly definition: ServerDefinition;
  readonly principal: string | undefined;
}

/**
 * Uses stored logins and asks nobody to log in. They are their owner's: a server that is reached for one of several users gets none of
 * them, and neither does one that a connector of the caller's has made out of another. What knows OAuth is loaded if somebody has ever logged in, or when a server asks for it.
 */
export function createStoredLogins({ places, log }: StoredLoginsOptions): StoredLogins {
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
    return createOAuth({ vault, settingsOf, loginCommand, log });
  };
  const loginCommand = (name: string) => ["npx jackfield login", name, ...placeOptions(places)].join(" ");
  /** What could not be loaded is tried again by the next who needs it. */
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
  /** A look at the disk before every request would be felt. */
  let nextLookAt = 0;
  const hasLogins = () => {
    if (opening !== undefined) return true;
    if (Date.now() < nextLookAt) return false;
    nextLookAt = Date.now() + LOOK_INTERVAL_MS;
    return exists(directory);
  };

  const auth: AuthPort = {
    async headers(server) {
      if (!isOwners(server) || !hasLogins()) return {};
      return (await opened()).headers(server);
    },
    async onChallenge(server, challenge, signal) {
      if (!isOwners(server)) return "fail";
      return (await opened()).onChallenge(server, challenge, signal);
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
          log("warn", `a login was still being renewed after ${ms} ms; it is stored if this program goes on`),
      });
    },
  };
}

/** Where nobody knows the user's home, none can have been stored. */
function noLogins(): StoredLogins {
  const auth: AuthPort = { headers: async () => ({}), onChallenge: async () => "fail" };
  return { auth, follow: (resolve) => resolve, close: async () => {} };
}

function exists(directory: string): boolean {
  return fileSystem.existsSync(directory);
}
