import { raceSignal } from "@jackfield/mcp-core";
import { givenUp } from "./errors.ts";
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

interface RunningLogin {
  readonly wanted: WantedLogin;
  readonly made: Promise<StoredCredential>;
  readonly control: AbortController;
  waiters: number;
}

/** Lets concurrent callers share a login if they want the same. Others wait until it is over, because a person can do one at a time. */
export class SharedLogin {
  #running: RunningLogin | undefined;

  /**
   * @param make - performs the login; its signal fires when no caller waits for it any more
   * @throws McpError `MCP_ABORTED` if the signal fires; whatever the login throws
   */
  async join(
    wanted: WantedLogin,
    make: (signal: AbortSignal) => Promise<StoredCredential>,
  ): Promise<StoredCredential> {
    const { signal } = wanted;
    while (this.#running !== undefined && !serves(this.#running, wanted)) {
      await raceSignal(this.#running.made.then(ignoreOutcome, ignoreOutcome), signal, givenUp);
    }
    if (signal.aborted) throw givenUp(signal);
    const joined = this.#running ?? this.#begin(wanted, make);
    this.#running = joined;
    joined.waiters += 1;
    try {
      return await raceSignal(joined.made, signal, givenUp);
    } finally {
      joined.waiters -= 1;
      if (joined.waiters === 0 && this.#running === joined) joined.control.abort(signal.reason);
    }
  }

  #begin(wanted: WantedLogin, make: (signal: AbortSignal) => Promise<StoredCredential>): RunningLogin {
    const control = new AbortController();
    const made = make(control.signal).finally(() => {
      this.#running = undefined;
    });
    return { wanted, made, control, waiters: 0 };
  }
}

/** Whether a running login serves another caller: it is not aborted, and requests at least the same scopes. */
function serves({ wanted, control }: RunningLogin, { subject, scopes, authorize }: WantedLogin): boolean {
  if (control.signal.aborted || wanted.subject !== subject || wanted.authorize !== authorize) return false;
  const isNamed = scopes.length > 0 || wanted.scopes.length === 0;
  return isNamed && scopes.every((scope) => wanted.scopes.includes(scope));
}

function ignoreOutcome(): void {}
