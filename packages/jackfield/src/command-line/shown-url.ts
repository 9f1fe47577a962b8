/**
 * The address of a server without what may be secret in it: user, password, query and fragment. What is no address of the web, such as a
 * URN, holds none of them.
 */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  return url === null || !/^https?:$/.test(url.protocol) ? address : url.origin + url.pathname;
}
