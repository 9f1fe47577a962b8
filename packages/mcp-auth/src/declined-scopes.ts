/** The scopes that somebody was asked for when a request needed them, and declined, while a login stays the one it was. */
export interface DeclinedScopes {
  /** Tells of the login there is now, if there is any: who has logged in or out meanwhile, in whichever process, may be asked anew. */
  see(login: string | undefined): void;
  /** Remembers scopes beside the login there is; that none is named can be declined as well. */
  add(scopes: readonly string[], login: string | undefined): void;
  /** Whether all of them were declined. */
  include(scopes: readonly string[]): boolean;
  /** Tells that a login is known by another name since, because it was renewed. */
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

/** Where no scope is named, that counts as one. */
function named(scopes: readonly string[]): readonly string[] {
  return scopes.length > 0 ? scopes : [""];
}
