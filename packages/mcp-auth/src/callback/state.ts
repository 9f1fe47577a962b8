import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { McpError } from "@jackfield/mcp-core";

const STATE_BYTES = 32;
const LONGEST_LIFETIME_MS = 600_000;

/** What a login is for: the MCP server, and the authorization server that the user is sent to. */
export interface LoginSubject {
  readonly serverUrl: string;
  readonly issuer: string;
}

/** Options of `createState`. */
export interface LoginStateOptions extends LoginSubject {
  /** Milliseconds. Default and maximum 600,000 (10 minutes). */
  readonly lifetimeMs?: number | undefined;
  /** The time, epoch milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The `state` of one login (RFC 6749, section 10.12): it ties the authorization response to its request. */
export interface LoginState extends LoginSubject {
  /** The parameter of the authorization URL: 256 random bits, base64url. */
  readonly value: string;
  /** Whether `presented` is this state, in time and not claimed yet. Has no side effect. */
  matches(presented: string): boolean;
  /**
   * Marks the state as used. A wrong attempt does not, because the right response may still come.
   *
   * @throws McpError `MCP_AUTH_REQUIRED` if the state is another one, was used, is too old, or was made for another subject
   */
  claim(presented: string, subject?: LoginSubject): void;
}

/** Creates the state of one login. */
export function createState(options: LoginStateOptions): LoginState {
  const { serverUrl, issuer, now = Date.now } = options;
  const value = randomBytes(STATE_BYTES).toString("base64url");
  const expiresAt = now() + Math.min(options.lifetimeMs ?? LONGEST_LIFETIME_MS, LONGEST_LIFETIME_MS);
  let isClaimed = false;
  const refusalOf = (presented: string, subject?: LoginSubject): string | undefined => {
    if (!isSameText(presented, value)) return "it does not belong to this login";
    if (isClaimed) return "it was used before";
    if (now() > expiresAt) return "it came too late";
    if (subject && subject.serverUrl !== serverUrl) return "it belongs to another server's login";
    return subject && subject.issuer !== issuer ? "it belongs to another authorization server" : undefined;
  };
  return {
    value,
    serverUrl,
    issuer,
    matches: (presented) => refusalOf(presented) === undefined,
    claim(presented, subject) {
      const refusal = refusalOf(presented, subject);
      if (refusal) {
        throw new McpError(
          "MCP_AUTH_REQUIRED",
          `The answer to a login at ${issuer} is refused: ${refusal}. Log in again.`,
        );
      }
      isClaimed = true;
    },
  };
}

/** Compares in constant time. */
function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
