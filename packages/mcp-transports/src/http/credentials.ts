import {
  type AuthChallenge,
  type AuthPort,
  isMcpError,
  ownCredentials,
  type ResolvedRemoteServer,
} from "@jackfield/mcp-core";
import { withOutcome } from "../errors/known-outcome.ts";
import { type HeaderList, headerOf, type IncomingHeaders } from "./http-wire.ts";
import { isReservedHeader } from "./reserved-headers.ts";

/** How many of the latest values are redacted from errors: a token may be renewed while a request with the last one is pending. */
const KEPT_VALUES = 8;

/** The credentials that were attached to a request. */
export interface Attached {
  readonly headers: HeaderList;
  /** How many challenges had been met by then. */
  readonly generation: number;
}

/** The credentials of one channel. Concurrent challenges are met by one login or refresh. */
export interface Credentials {
  /** The credentials of a request; `undefined` if it needs none and does not have to wait. */
  attach(): Promise<Attached> | undefined;
  /** Whether a challenge has been met since, so that the request may be repeated with newer credentials at once. */
  isOutdated(attached: Attached): boolean;
  /** Meets a challenge; `true`: the request may be repeated. */
  meetChallenge(challenge: AuthChallenge, attached: Attached): Promise<boolean>;
}

/** The credentials of one channel, which know what they attached. */
export interface ChannelCredentials extends Credentials {
  /** The latest header values, each also without its scheme. */
  readonly secrets: readonly string[];
}

export interface CredentialsOptions {
  readonly server: ResolvedRemoteServer;
  readonly auth?: AuthPort | undefined;
  /** Fires when the channel is closed: no login outlives it. */
  readonly signal: AbortSignal;
}

/** Credentials from the host's port, unless the entry has its own. */
export function createCredentials({
  server,
  auth,
  signal,
}: CredentialsOptions): ChannelCredentials | undefined {
  // Configured credentials take precedence over stored ones.
  if (!auth || ownCredentials(server) !== undefined) return undefined;
  let generation = 0;
  let meeting: Promise<boolean> | undefined;
  /** The latest first, so that an unchanged value costs one comparison. */
  let values: readonly string[] = [];

  const attachable = (headers: { readonly [name: string]: string }) => {
    const list = listOf(headers);
    for (let index = 1; index < list.length; index += 2) {
      const value = list[index] as string;
      if (!values.includes(value)) values = [value, ...values].slice(0, KEPT_VALUES);
    }
    return list;
  };
  const meet = async (challenge: AuthChallenge) => {
    const verdict = await askPort(challenge);
    generation += 1;
    return verdict === "retry";
  };
  const askPort = async (challenge: AuthChallenge) => {
    try {
      return await auth.onChallenge(server, challenge, signal);
    } catch (error) {
      // The challenged request was refused, whatever the port failed with.
      throw isMcpError(error) ? withOutcome(error, "rejected") : error;
    }
  };
  // While a challenge is being met, the stored credentials are not newer yet.
  const isOutdated = (attached: Attached) => attached.generation < generation && !meeting;
  return {
    get secrets() {
      return values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
    },
    isOutdated,
    async attach() {
      const attachedAt = generation;
      return { headers: attachable(await auth.headers(server)), generation: attachedAt };
    },
    async meetChallenge(challenge, attached) {
      // Another request has met the challenge meanwhile: the refused credentials are outdated.
      if (isOutdated(attached)) return true;
      meeting ??= meet(challenge).finally(() => {
        meeting = undefined;
      });
      return meeting;
    },
  };
}

/** The challenge of an answer, if it has one. A 403 without a challenge is final: no credential would change it (RFC 6750, section 3.1). */
export function readChallenge(status: number, headers: IncomingHeaders): AuthChallenge | undefined {
  const wwwAuthenticate = headerOf(headers, "www-authenticate");
  if (status === 401) return { status, wwwAuthenticate };
  if (status === 403 && wwwAuthenticate) return { status, wwwAuthenticate };
  return undefined;
}

function listOf(headers: { readonly [name: string]: string }): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    isReservedHeader(name) ? [] : [name.toLowerCase(), value],
  );
}
