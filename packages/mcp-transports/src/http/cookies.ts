import type { IncomingHeaders } from "./http-wire.ts";

/** What a cookie may take, and how many are kept: the least that a client has to offer (RFC 6265, section 6.1). */
const MOST_BYTES = 4096;
const MOST_COOKIES = 50;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** Epoch milliseconds; `Infinity` if it lasts as long as the session. */
  readonly expiresAt: number;
}

/**
 * The cookies that a server has set, as long as its session lasts: some are behind a load balancer that tells its copies apart by one. Kept by
 * RFC 6265, with one difference: none is ever sent to another origin than the one that set it, whatever domain it names. All requests
 * of a session go to one origin.
 */
export class Cookies {
  readonly #kept = new Map<string, Cookie>();

  /** The values that must not be shown. */
  get secrets(): readonly string[] {
    return [...this.#kept.values()].map(({ value }) => value);
  }

  /** Takes those of an answer from this address. */
  take(from: URL, headers: IncomingHeaders): void {
    const kept = this.#kept;
    for (const line of [headers["set-cookie"] ?? []].flat()) {
      const cookie = readCookie(line, from);
      if (!cookie) continue;
      const key = `${cookie.name};${cookie.path}`;
      kept.delete(key);
      if (cookie.expiresAt <= Date.now()) continue;
      kept.set(key, cookie);
      if (kept.size > MOST_COOKIES) kept.delete(kept.keys().next().value as string);
    }
  }

  /** The value of `Cookie` for a request to this address; `undefined` if there is none. */
  headerFor(to: URL): string | undefined {
    if (this.#kept.size === 0) return undefined;
    const isSafe = to.protocol === "https:";
    const sent = [...this.#kept.values()]
      .filter(({ path, isSecure, expiresAt }) => {
        return isWithin(to.pathname, path) && (isSafe || !isSecure) && expiresAt > Date.now();
      })
      .sort((one, other) => other.path.length - one.path.length);
    return sent.length === 0 ? undefined : sent.map(({ name, value }) => `${name}=${value}`).join("; ");
  }
}

/** Reads one `Set-Cookie` line (RFC 6265, section 5.2); `undefined` if it sets none that could be sent back. */
function readCookie(line: string, from: URL): Cookie | undefined {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1).trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header must not hold
  if (at < 1 || name === "" || /[\u0000-\u001f\u007f]/.test(pair) || pair.length > MOST_BYTES)
    return undefined;
  const given = new Map(
    attributes.map((attribute) => {
      const [key = "", ...rest] = attribute.split("=");
      return [key.trim().toLowerCase(), rest.join("=").trim()] as const;
    }),
  );
  const path = given.get("path");
  return {
    name,
    value,
    path: path?.startsWith("/") ? path : defaultPath(from),
    isSecure: given.has("secure"),
    expiresAt: expiryOf(given),
  };
}

/** `Max-Age` takes precedence over `Expires`; what cannot be read does not count. */
function expiryOf(given: ReadonlyMap<string, string>): number {
  const seconds = given.get("max-age");
  if (seconds !== undefined && /^-?\d+$/.test(seconds)) return Date.now() + Number(seconds) * 1000;
  const date = Date.parse(given.get("expires") ?? "");
  return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
}

function defaultPath({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf("/")));
}

function isWithin(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}
