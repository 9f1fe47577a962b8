/** The scopes that a request needed and that the person or the authorization server declined. A change of login forgets them. */
export interface DeclinedScopes {
  /** Takes the current login, if any. After a login or logout, in any process, the person may be asked again. */
  see(login: string | undefined): void;
  /** Records scopes as declined under the current login. An empty list, for a challenge that names no scope, can be declined as well. */
  add(scopes: readonly string[], login: string | undefined): void;
  /** Whether all of these scopes were declined. */
  include(scopes: readonly string[]): boolean;
  /** Records that a renewal has changed the login's identifier. */
  renew(login: string, next: string): void;
  clear(): void;
}

export function createDeclinedScopes(): DeclinedScopes {
  const declined = new Set<string>();
  let beside: string | undefined;
  return {
    see(login) {
      if (login !== beside) declined.clear();
    },
    add(scopes, login) {
      beside = login;
      for (const name of named(scopes)) declined.add(name);
    },
    include: (scopes) => named(scopes).every((scope) => declined.has(scope)),
    renew(login, next) {
      if (login === beside) beside = next;
    },
    clear: () => declined.clear(),
  };
}

/** Treats an empty list as one nameless scope. */
function named(scopes: readonly string[]): readonly string[] {
  return scopes.length > 0 ? scopes : [""];
}
