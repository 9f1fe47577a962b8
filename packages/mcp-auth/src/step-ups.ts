/** How often a server may cause a login with more scopes: it can invent any number of scopes, and each time a person is interrupted. */
const MOST_STEP_UPS = 3;
const STEP_UPS_WITHIN_MS = 3_600_000;

/**
 * What keeps a server from asking a person again and again for more scopes: those that the person or the authorization server declined, until
 * the login changes, and how many such logins there were in the last hour, however they ended.
 */
export class StepUps {
  readonly #now: () => number;
  readonly #declined = new Set<string>();
  #declinedUnder: string | undefined;
  #begunAt: readonly number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Forgets what was declined unless it was under `login`, the current one. After a login or logout, in any process, the person may be asked
   * again.
   */
  clearIfLoginChanged(login: string | undefined): void {
    if (login !== this.#declinedUnder) this.clear();
  }

  /** Records scopes as declined under the current login. An empty list, for a challenge that names no scope, can be declined as well. */
  decline(scopes: readonly string[], login: string | undefined): void {
    this.#declinedUnder = login;
    for (const name of named(scopes)) this.#declined.add(name);
  }

  /** Whether all of these scopes were declined. */
  areDeclined(scopes: readonly string[]): boolean {
    return named(scopes).every((scope) => this.#declined.has(scope));
  }

  /** Records that a renewal has changed the login's identifier. */
  replaceLogin(login: string, next: string): void {
    if (login === this.#declinedUnder) this.#declinedUnder = next;
  }

  clear(): void {
    this.#declined.clear();
  }

  /** Counts a login with more scopes. Returns how many there were in the last hour if that was too often, else `undefined`. */
  begin(): number | undefined {
    const recent = this.#begunAt.filter((at) => Math.abs(this.#now() - at) < STEP_UPS_WITHIN_MS);
    const isTooOften = recent.length >= MOST_STEP_UPS;
    this.#begunAt = isTooOften ? recent : [...recent, this.#now()];
    return isTooOften ? recent.length : undefined;
  }
}

/** Treats an empty list as one nameless scope. */
function named(scopes: readonly string[]): readonly string[] {
  return scopes.length > 0 ? scopes : [""];
}
