/**
 * The address of a server without parts that may be secret: user, password, query and fragment. An address that is not `http(s)`, such as a
 * URN, is returned unchanged.
 */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  return url === null || !/^https?:$/.test(url.protocol) ? address : url.origin + url.pathname;
}
