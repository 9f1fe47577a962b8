import {
  type AuthorizationServer,
  type HttpFaultServer,
  type ProtectedServer,
  startAuthorizationServer,
  startHttpFaultServer,
  startProtectedServer,
} from "@jackfield/test-kit";
import { afterEach, beforeEach } from "vitest";

/** A remote server that wants a login, made for each test anew. */
export interface GuardedServer {
  readonly url: string;
  /** Who gives logins to it. */
  readonly authority: AuthorizationServer;
  /** Every request to it, allowed or not. */
  readonly guarded: ProtectedServer;
  /** The server itself. */
  readonly behind: HttpFaultServer;
}

/** @param scope - what a login must be for */
export function useGuardedServer(scope?: string): GuardedServer {
  let current: Omit<GuardedServer, "url"> | undefined;
  const started = () => {
    if (current === undefined) throw new Error("There is a server during tests only.");
    return current;
  };
  beforeEach(async () => {
    const [authority, behind] = await Promise.all([startAuthorizationServer(), startHttpFaultServer()]);
    const guarded = await startProtectedServer({ authorizationServer: authority, behind: behind.url, scope });
    current = { authority, behind, guarded };
  });
  afterEach(async () => {
    const { authority, behind, guarded } = started();
    await Promise.all([guarded.close(), behind.close(), authority.close()]);
  });
  return {
    get url() {
      return started().guarded.url;
    },
    get authority() {
      return started().authority;
    },
    get guarded() {
      return started().guarded;
    },
    get behind() {
      return started().behind;
    },
  };
}
