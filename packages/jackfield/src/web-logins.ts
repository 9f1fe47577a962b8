import type {
  BeginLoginOptions,
  BegunLogin,
  FinishedLogin,
  FinishLoginOptions,
  LoginResponse,
} from "@jackfield/mcp-auth";
import { McpError, type ResolveServer, type ServerDefinition } from "@jackfield/mcp-core";
import type { McpManager } from "@jackfield/mcp-manager";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** Logins of users that begin in one request and end in another. */
export interface WebLogins {
  begin(principal: string, target: LoginTarget, options: BeginLoginOptions): Promise<BegunLogin>;
  finish(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin>;
  /** Lets a user's servers connect again after a login; returns a function that ends this. */
  follow(principal: string, manager: Pick<McpManager, "servers" | "reconnect">): () => void;
}

/** The server to which a user logs in, by name. */
export interface LoginTarget {
  readonly server: string;
  readonly definitions: readonly ServerDefinition[];
}

/** @param signal - ends the resolving of values when the runtime closes */
export function createWebLogins(
  auth: OpenMcpOptions["auth"],
  resolve: ResolveServer,
  signal: AbortSignal,
): WebLogins {
  const followed = new Map<string, Set<Pick<McpManager, "servers" | "reconnect">>>();
  return {
    async begin(principal, { server, definitions }, options) {
      if (auth?.beginLogin === undefined) throw noLogins("beginLogin");
      const definition = definitions.find(({ name }) => name === server);
      if (definition === undefined) {
        const message = `No server is called "${server}", so nobody can log in to it.`;
        throw new McpError("MCP_SERVER_UNKNOWN", message, { server });
      }
      const stop = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
      return auth.beginLogin(principal, await resolve(definition, { principal, signal: stop }), options);
    },
    async finish(response, options) {
      if (auth?.finishLogin === undefined) throw noLogins("finishLogin");
      const finished = await auth.finishLogin(response, options);
      for (const manager of followed.get(finished.principal) ?? []) {
        const hasFailed = ({ name, error }: { name: string; error?: unknown }) =>
          name === finished.server && error !== undefined;
        // The server reports itself if it fails again.
        if (manager.servers().some(hasFailed)) manager.reconnect(finished.server).catch(() => {});
      }
      return finished;
    },
    follow(principal, manager) {
      const own = followed.get(principal) ?? new Set();
      followed.set(principal, own.add(manager));
      return () => {
        own.delete(manager);
        if (own.size === 0 && followed.get(principal) === own) followed.delete(principal);
      };
    },
  };
}

function noLogins(method: string): McpError {
  const message = `"${method}" needs an "auth" of "createOAuth" of @jackfield/mcp-auth.`;
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
