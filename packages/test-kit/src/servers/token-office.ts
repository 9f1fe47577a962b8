import { createHash, randomUUID } from "node:crypto";

/** The tokens issued for a code or a refresh token. */
export interface IssuedTokens {
  readonly accessToken: string;
  /** Missing if the old one stays valid. */
  readonly refreshToken?: string | undefined;
  readonly scope: string | undefined;
}

type Parameters = { readonly [name: string]: string };

/** Issues tokens, and tracks which of them are valid. */
export interface TokenOffice {
  register(): string;
  /** Whether a client was registered and is not forgotten. */
  knows(client: string): boolean;
  /** Forgets all registered clients, as an authorization server does that lost its data. */
  forgetClients(): void;
  /** Issues a code for an authorization request. */
  grantCode(request: Parameters): string;
  /** Redeems a code; `undefined` if it is unknown or spent, or the verifier, the redirect URI or the client does not match. */
  redeem(request: Parameters, grantedScope: string | undefined): IssuedTokens | undefined;
  /**
   * Redeems a refresh token; `undefined` if it is not valid. Reuse of a rotated token ends the whole login, unless it is accepted: then it
   * gets the same tokens again.
   */
  refresh(refreshToken: string, isRotating: boolean, acceptsReuse?: boolean): IssuedTokens | undefined;
  /** Issues an access token to a client without a user. */
  issueTo(scope: string | undefined): IssuedTokens;
  /** The scopes of an access token; `undefined` if it is not valid. */
  scopesOf(accessToken: string): readonly string[] | undefined;
  /** Invalidates every access token, as if it had expired. */
  expireAccessTokens(): void;
  /** Ends every login. */
  endLogins(): void;
  /** How often a spent refresh token was presented. */
  readonly replays: number;
}

interface Login {
  readonly scope: string | undefined;
  isOver: boolean;
}

export function createTokenOffice(): TokenOffice {
  const codes = new Map<string, Parameters>();
  const accessTokens = new Map<string, Login>();
  const refreshTokens = new Map<string, Login>();
  const spent = new Map<string, { readonly login: Login; readonly replacement: IssuedTokens }>();
  const clients = new Set<string>();
  let replays = 0;

  const issue = (login: Login, withRefreshToken: boolean): IssuedTokens => {
    const accessToken = `access-${randomUUID()}`;
    accessTokens.set(accessToken, login);
    if (!withRefreshToken) return { accessToken, scope: login.scope };
    const refreshToken = `refresh-${randomUUID()}`;
    refreshTokens.set(refreshToken, login);
    return { accessToken, refreshToken, scope: login.scope };
  };
  return {
    register() {
      const client = `client-${randomUUID()}`;
      clients.add(client);
      return client;
    },
    knows: (client) => clients.has(client),
    forgetClients: () => clients.clear(),
    grantCode(request) {
      const code = `code-${randomUUID()}`;
      codes.set(code, request);
      return code;
    },
    redeem({ code = "", code_verifier = "", redirect_uri, client_id }, grantedScope) {
      const asked = codes.get(code);
      codes.delete(code);
      const challenge = createHash("sha256").update(code_verifier).digest("base64url");
      const isHis =
        asked?.code_challenge === challenge &&
        asked.redirect_uri === redirect_uri &&
        asked.client_id === client_id;
      return isHis ? issue({ scope: grantedScope ?? asked.scope, isOver: false }, true) : undefined;
    },
    refresh(refreshToken, isRotating, acceptsReuse = false) {
      const replayed = spent.get(refreshToken);
      if (replayed && acceptsReuse) return replayed.replacement;
      if (replayed) {
        replays += 1;
        replayed.login.isOver = true;
      }
      const login = refreshTokens.get(refreshToken);
      if (!login || login.isOver) return undefined;
      const issued = issue(login, isRotating);
      if (isRotating) {
        refreshTokens.delete(refreshToken);
        spent.set(refreshToken, { login, replacement: issued });
      }
      return issued;
    },
    issueTo: (scope) => issue({ scope, isOver: false }, false),
    scopesOf(accessToken) {
      const login = accessTokens.get(accessToken);
      return login && !login.isOver ? (login.scope ?? "").split(" ").filter(Boolean) : undefined;
    },
    expireAccessTokens: () => accessTokens.clear(),
    endLogins() {
      for (const login of [...accessTokens.values(), ...refreshTokens.values()]) login.isOver = true;
    },
    get replays() {
      return replays;
    },
  };
}
