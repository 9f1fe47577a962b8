import { isRecord, parseRetryAfter } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";

/**
 * The longest wait that an authorization server can demand. A manager does not connect the MCP server during that time. This equals the
 * manager's longest reconnection delay.
 */
const LONGEST_WAIT_MS = 300_000;

interface Members {
  readonly [member: string]: unknown;
}

/** Whether a member says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The texts of a list; `undefined` if there are none. */
export function listOfText(value: unknown): readonly string[] | undefined {
  const texts = Array.isArray(value) ? value.filter(isText) : [];
  return texts.length > 0 ? texts : undefined;
}

/** Optional members by type. A value of another type counts as missing. */
const TEXTS: ReadonlySet<string> = new Set([
  "refresh_token",
  "id_token",
  "error_description",
  "error_uri",
  "client_secret",
  "token_endpoint_auth_method",
]);
const NUMBERS: ReadonlySet<string> = new Set([
  "expires_in",
  "client_secret_expires_at",
  "client_id_issued_at",
]);
const LISTS: ReadonlySet<string> = new Set(["grant_types", "response_types"]);

/** The value of a member; `undefined` if it says nothing. Members that are not named here are left as they are. */
function readMember(member: string, value: unknown): unknown {
  if (value === null) return undefined;
  if (member === "scope") return isText(value) ? value : listOfText(value)?.join(" ");
  if (TEXTS.has(member)) return isText(value) ? value : undefined;
  if (NUMBERS.has(member)) return Number.isFinite(Number(value)) ? Number(value) : undefined;
  return LISTS.has(member) ? listOfText(value) : value;
}

/** The members of a registration that are used later; others could only end the login. */
const OF_REGISTRATION: ReadonlySet<string> = new Set([
  "client_id",
  "client_secret",
  "client_secret_expires_at",
  "client_id_issued_at",
  "token_endpoint_auth_method",
  "redirect_uris",
  "scope",
  "grant_types",
  "response_types",
]);

/**
 * Makes answers of a token endpoint readable for the SDK, which would refuse a whole answer for one optional member, and with it tokens
 * that replaced the spent ones, or an OAuth error that ends a login. A token of no stated type counts as a Bearer token.
 */
export function readableTokens(fetch: FetchLike): FetchLike {
  return rewriting(fetch, (members) =>
    isText(members.access_token) && !isText(members.token_type)
      ? { ...members, token_type: "Bearer" }
      : members,
  );
}

/** Makes answers of a registration endpoint readable for the SDK. What they do not say is as it was asked for. */
export function readableRegistration(fetch: FetchLike, redirectUris: readonly string[]): FetchLike {
  return rewriting(fetch, (members) => {
    const client_id = typeof members.client_id === "number" ? String(members.client_id) : members.client_id;
    if (!isText(client_id)) return members;
    const kept = Object.entries(members).filter(([member]) => OF_REGISTRATION.has(member));
    const registered = listOfText(members.redirect_uris)?.filter((uri) => URL.canParse(uri)) ?? [];
    const redirect_uris = registered.length > 0 ? registered : redirectUris;
    return { ...Object.fromEntries(kept), client_id, redirect_uris };
  });
}

function rewriting(fetch: FetchLike, complete: (members: Members) => Members): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const body = membersOf(await response.clone().text());
    if (body === undefined) return response;
    const { status, headers } = response;
    return new Response(JSON.stringify(complete(withoutUnreadable(body))), { status, headers });
  };
}

function membersOf(text: string): Members | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function withoutUnreadable(members: Members): Members {
  const read = Object.entries(members).map(([member, value]) => [member, readMember(member, value)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** The parts of an answer that say whether and when to ask again. */
export interface WatchedAnswer {
  readonly status: number;
  /** The wait that `Retry-After` demands, at most five minutes; missing if the answer does not say. */
  readonly retryAfterMs?: number | undefined;
}

/** A fetch that records its answers. */
export interface WatchedFetch {
  readonly fetch: FetchLike;
  /** In the order in which they came. */
  readonly answers: readonly WatchedAnswer[];
}

export function watchAnswers(fetch: FetchLike): WatchedFetch {
  const answers: WatchedAnswer[] = [];
  return {
    answers,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { status, headers } = response;
      answers.push({ status, retryAfterMs: waitOf(headers) });
      return response;
    },
  };
}

function waitOf(headers: Headers): number | undefined {
  const waitMs = parseRetryAfter(headers.get("retry-after"), Date.now());
  return waitMs && Math.min(waitMs, LONGEST_WAIT_MS);
}
