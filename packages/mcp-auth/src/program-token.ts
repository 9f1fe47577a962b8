import { type AuthChallenge, type ResolvedRemoteServer, raceSignal } from "@jackfield/mcp-core";
import type {
  FetchLike,
  OAuthClientProvider,
  OAuthTokens,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { AccountContext } from "./account.ts";
import { NO_CHALLENGE, type ReadChallenge, readChallenge } from "./challenge.ts";
import type { Entry, ProgramClient } from "./entry-settings.ts";
import { authRequired, givenUp, loginError, quote, secretsOfClient } from "./errors.ts";
import { watchAnswers } from "./flow/answers.ts";
import { type Authority, discoverAuthority } from "./flow/authority.ts";
import { createProofKey, type ProofKey, proofSession } from "./flow/authorization-headers.ts";
import { withSecret } from "./flow/client-identity.ts";
import { expiryOf, requestTokens } from "./flow/grant.ts";
import { isSameIdentifier } from "./flow/metadata.ts";
import { isNearEnd } from "./flow/refresh.ts";
import { chooseScopes, splitScopes } from "./flow/scope-choice.ts";
import { loadSdk, type Sdk } from "./sdk.ts";
import { canonicalServerUrl } from "./vault/credential.ts";

/** After a renewal ahead of time has failed, requests do not wait for the next one this long. */
const PAUSE_MS = 10_000;

interface Granted {
  readonly subject: string;
  readonly tokens: OAuthTokens;
  /** The key that the token is bound to, if it is. */
  readonly proofKey: ProofKey | undefined;
  /** The scopes that were asked for or granted. */
  readonly scopes: readonly string[];
  readonly obtainedAt: number;
  readonly expiresAt: number | undefined;
}

/**
 * The token of a program without a user, which it asks for itself whenever it needs one. It is kept in memory: another process has its
 * own, and none of them can be spent by another.
 */
export class ProgramToken {
  readonly #context: AccountContext;
  readonly #given = new WeakMap<ResolvedRemoteServer, string>();
  #granted: Granted | undefined;
  #running: { readonly subject: string; readonly made: Promise<Granted> } | undefined;
  /** The first authorization server; the server may name another later, which must not get the client's secret. */
  #issuer: string | undefined;
  #challenge: ReadChallenge = NO_CHALLENGE;
  #pausedUntil = 0;

  constructor(context: AccountContext) {
    this.#context = context;
  }

  /** The token for the next request, renewed if it is about to expire; `undefined` before the first challenge. */
  async current(entry: Entry): Promise<Pick<Granted, "tokens" | "proofKey"> | undefined> {
    const granted = this.#usable(entry);
    if (granted === undefined) return undefined;
    const current = await this.#renewIfDue(entry, granted);
    this.#given.set(entry.server, current.tokens.access_token);
    return current;
  }

  /** Identifies the client, whose tokens all stand for the same account. */
  login({ settings, principal }: Entry): string {
    return JSON.stringify(["program", settings.program?.clientId, principal]);
  }

  /** Meets a challenge with a new token. */
  async meet(entry: Entry, challenge: AuthChallenge, signal: AbortSignal): Promise<"retry" | "fail"> {
    const read = readChallenge(challenge);
    if (challenge.status === 403 && !read.isInsufficientScope) return "fail";
    const granted = this.#usable(entry);
    if (granted && granted.tokens.access_token !== this.#given.get(entry.server)) return "retry";
    const isStepUp = challenge.status === 403;
    const missing = splitScopes(read.scope).filter((scope) => !granted?.scopes.includes(scope));
    if (isStepUp && missing.length === 0) {
      const wanted = quote(read.scope ?? "no scope named");
      const reason = `it requires more access than its authorization server grants this program (${wanted}). Ask the operator of the server.`;
      throw authRequired(entry.server.name, reason, { httpStatus: 403 });
    }
    this.#challenge = read;
    await raceSignal(this.#obtain(entry, granted?.scopes ?? []), signal, givenUp);
    return "retry";
  }

  #usable(entry: Entry): Granted | undefined {
    return this.#granted?.subject === subjectOf(entry) ? this.#granted : undefined;
  }

  /** A failure is told by the challenge that follows, if the token has really ended. */
  async #renewIfDue(entry: Entry, granted: Granted): Promise<Granted> {
    const now = this.#context.options.now();
    if (!isNearEnd(granted, now) || now < this.#pausedUntil) return granted;
    return this.#obtain(entry, granted.scopes).catch(() => {
      this.#pausedUntil = now + PAUSE_MS;
      return granted;
    });
  }

  /** Concurrent callers share a request if it asks for the same. */
  #obtain(entry: Entry, earlier: readonly string[]): Promise<Granted> {
    const subject = JSON.stringify([subjectOf(entry), earlier, this.#challenge.scope]);
    if (this.#running?.subject === subject) return this.#running.made;
    const made = this.#request(entry, earlier).finally(() => {
      if (this.#running?.made === made) this.#running = undefined;
    });
    this.#running = { subject, made };
    return made;
  }

  async #request(entry: Entry, earlier: readonly string[]): Promise<Granted> {
    const { network, closing, options } = this.#context;
    const { server, settings } = entry;
    const sdk = await loadSdk();
    const fetch = await network.fetchFor(entry, closing);
    const authority = await discoverAuthority({ sdk, fetch, challenge: this.#challenge, ...entry });
    const { issuer, metadata, resourceIndicator } = authority;
    this.#requireKnownIssuer(server, issuer);
    const scopes = chooseScopes({
      challenged: this.#challenge.scope,
      configured: settings.scopes,
      earlier,
      resourceScopes: authority.resourceScopes,
    });
    const { provider, client } = providerOf(sdk, entry, { authority, fetch });
    const { fetch: watched, answers } = watchAnswers(fetch);
    const proofKey = settings.dpop ? await createProofKey() : undefined;
    const proofs = proofKey && (await proofSession(sdk, proofKey));
    try {
      const { tokens } = await requestTokens({ sdk, metadata, client, fetch: watched, proofs }, (request) =>
        sdk.fetchToken(
          Object.assign(provider, {
            clientInformation: () => request.clientInformation,
            dpop: () => request.dpop,
          }),
          issuer,
          {
            metadata: request.metadata,
            fetchFn: request.fetchFn,
            ...(resourceIndicator === undefined ? {} : { resource: resourceIndicator }),
            ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
          },
        ),
      );
      const now = options.now();
      this.#issuer = issuer;
      this.#granted = {
        subject: subjectOf(entry),
        tokens,
        proofKey,
        scopes: [...new Set([...scopes, ...splitScopes(tokens.scope)])],
        obtainedAt: now,
        expiresAt: expiryOf(tokens, now),
      };
      return this.#granted;
    } catch (error) {
      const secrets = [...secretsOfClient(client), settings.program?.privateKey ?? ""];
      const step = {
        server: server.name,
        doing: "token request",
        endpoint: metadata.token_endpoint,
      } as const;
      throw loginError(sdk, error, { ...step, secrets, answer: answers.at(-1) });
    }
  }

  #requireKnownIssuer({ name }: ResolvedRemoteServer, issuer: string): void {
    if (this.#issuer === undefined || isSameIdentifier(this.#issuer, issuer)) return;
    const reason = `it names ${quote(issuer)} as its authorization server, but this program got its token from ${quote(this.#issuer)}; nothing was sent. If its operator has moved it, name the new "issuer" in its entry and start again.`;
    throw authRequired(name, reason);
  }
}

/** The SDK's provider of the grant that an entry has, and its client. */
function providerOf(
  sdk: Sdk,
  { server, settings, principal }: Entry,
  { authority, fetch }: { readonly authority: Authority; readonly fetch: FetchLike },
): { readonly provider: OAuthClientProvider; readonly client: StoredOAuthClientInformation } {
  const { issuer: expectedIssuer, resourceIndicator } = authority;
  const { clientId, privateKey, algorithm, assertion } = settings.program as ProgramClient;
  const client = withSecret({ client_id: clientId, issuer: expectedIssuer }, settings);
  const common = { clientId, expectedIssuer };
  const clientSecret = client.client_secret as string; // without one, the client is public
  if (assertion === undefined) {
    const provider = privateKey
      ? new sdk.PrivateKeyJwtProvider({ ...common, privateKey, algorithm })
      : new sdk.ClientCredentialsProvider({ ...common, clientSecret });
    return { provider, client: privateKey ? { client_id: clientId, issuer: expectedIssuer } : client };
  }
  const provider = new sdk.CrossAppAccessProvider({
    ...common,
    clientSecret,
    fetchFn: fetch,
    assertion: async ({ authorizationServerUrl: issuer, resourceUrl: resource, scope, fetchFn }) => {
      const made = await assertion({
        server: server.name,
        issuer,
        resource,
        scope,
        principal,
        fetch: fetchFn,
      });
      return made.trim(); // files of tokens end with a line break
    },
  });
  provider.saveAuthorizationServerUrl(expectedIssuer);
  provider.saveResourceUrl?.(resourceIndicator ?? canonicalServerUrl(server.url));
  return { provider, client };
}

/** What a token is for: with another client, key or resource it is another's. */
function subjectOf({ settings }: Entry): string {
  const { program, resource, scopes, clientSecret, dpop } = settings;
  return JSON.stringify([program, clientSecret, resource, scopes, dpop]);
}
