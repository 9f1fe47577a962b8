import { raceSignal } from "@jackfield/mcp-core";
import { givenUp } from "./account-error.ts";
import type { ShowAuthorizationPage } from "./oauth-options.ts";
import type { StoredCredential } from "./vault/token-vault.ts";

/** A requested login. */
export interface WantedLogin {
  /** A key that equals another if both logins are interchangeable except for their scopes. */
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly authorize: ShowAuthorizationPage;
  /** Ends this caller's wait; the login goes on for others. */
  readonly signal: AbortSignal;
}

/** Performs a login. The signal fires when no caller waits for it any more. */
export type MakeLogin = (signal: AbortSignal) => Promise<StoredCredential>;

/** Lets concurrent callers share a login if they want the same. Others wait until it is over, because a person can do one at a time. */
export interface SharedLogin {
  /** @throws McpError `MCP_ABORTED` if the signal fires; whatever the login throws */
  join(wanted: WantedLogin, make: MakeLogin): Promise<StoredCredential>;
}

export function createSharedLogin(): SharedLogin {
  let running: Running | undefined;
  return {
    async join(wanted, make) {
      const { signal } = wanted;
      while (running !== undefined && !serves(running, wanted)) {
        await raceSignal(running.made.then(ignoreOutcome, ignoreOutcome), signal, givenUp);
      }
      if (signal.aborted) throw givenUp(signal);
      const joined =
        running ??
        begin(wanted, make, () => {
          running = undefined;
        });
      running = joined;
      joined.waiters += 1;
      try {
        return await raceSignal(joined.made, signal, givenUp);
      } finally {
        joined.waiters -= 1;
        if (joined.waiters === 0 && running === joined) joined.control.abort(signal.reason);
      }
    },
  };
}

interface Running {
  readonly wanted: WantedLogin;
  readonly made: Promise<StoredCredential>;
  readonly control: AbortController;
  waiters: number;
}

function begin(wanted: WantedLogin, make: MakeLogin, onEnd: () => void): Running {
  const control = new AbortController();
  return { wanted, made: make(control.signal).finally(onEnd), control, waiters: 0 };
}

/** Whether a running login serves another caller: it is not aborted, and requests at least the same scopes. */
function serves({ wanted, control }: Running, { subject, scopes, authorize }: WantedLogin): boolean {
  if (control.signal.aborted || wanted.subject !== subject || wanted.authorize !== authorize) return false;
  const isNamed = scopes.length > 0 || wanted.scopes.length === 0;
  return isNamed && scopes.every((scope) => wanted.scopes.includes(scope));
}

function ignoreOutcome(): void {}
