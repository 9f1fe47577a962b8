const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** How many redirects of one request are followed; no honest server needs more. */
export const MAX_REDIRECTS = 3;

/** What to do about a redirect. */
export type Redirect =
  | { readonly kind: "follow"; readonly url: URL }
  | { readonly kind: "refuse"; readonly to: string };

/**
 * Judges a redirect; `undefined` if the answer is none. Credentials, headers and bodies never leave the origin they were
 * meant for, and a request never changes its method or loses its body (threat T29: redirects as a way out).
 */
export function judgeRedirect(
  method: string,
  from: URL,
  status: number,
  location: string | undefined,
): Redirect | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (!to) return { kind: "refuse", to: "an invalid address" };
  const keepsRequest = method === "GET" || status === 307 || status === 308;
  const staysWithin = to.origin === from.origin && !to.username && !to.password;
  return keepsRequest && staysWithin ? { kind: "follow", url: to } : { kind: "refuse", to: displayUrl(to) };
}

/** A URL without the parts that may be secret: user, password, query and fragment. */
export function displayUrl({ origin, protocol, pathname }: URL): string {
  // The origin of a URL such as `mailto:` is opaque, and written as "null".
  return (origin === "null" ? protocol : origin) + pathname;
}
