/** The scopes that a request needed and that the person or the authorization server declined. A change of login forgets them. */
export interface DeclinedScopes {
  /**
   * Forgets the scopes unless they were declined under `login`, the current one. After a login or logout, in any process, the person
   * may be asked again.
   */
  clearIfLoginChanged(login: string | undefined): void;
  /** Records scopes as declined under the current login. An empty list, for a challenge that names no scope, can be declined as well. */
  add(scopes: readonly string[], login: string | undefined): void;
  /** Whether all of these scopes were declined. */
  include(scopes: readonly string[]): boolean;
  /** Records that a renewal has changed the login's identifier. */
  replaceLogin(login: string, next: string): void;
  clear(): void;
}

export function createDeclinedScopes(): DeclinedScopes {
  const declined = new Set<string>();
  let declinedUnder: string | undefined;
  return {
    clearIfLoginChanged(login) {
      if (login !== declinedUnder) declined.clear();
    },
    add(scopes, login) {
      declinedUnder = login;
      for (const name of named(scopes)) declined.add(name);
    },
    include: (scopes) => named(scopes).every((scope) => declined.has(scope)),
    replaceLogin(login, next) {
      if (login === declinedUnder) declinedUnder = next;
    },
    clear: () => declined.clear(),
  };
}

/** Treats an empty list as one nameless scope. */
function named(scopes: readonly string[]): readonly string[] {
  return scopes.length > 0 ? scopes : [""];
}
