import { isRecord } from "@jackfield/mcp-core";
import type { FetchLike } from "@modelcontextprotocol/client";

/**
 * Removes the top-level members that are `null` from JSON answers. Some authorization servers write an optional member without a
 * value as `null`. The SDK would not recognize such an answer: neither tokens that replaced the spent ones, nor an OAuth error that
 * ends a login.
 */
export function withoutNullMembers(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const cleaned = cleanedBody(await response.clone().text());
    if (cleaned === undefined) return response;
    const { status, headers } = response;
    return new Response(cleaned, { status, headers });
  };
}

/** `undefined` if there is nothing to remove. */
function cleanedBody(body: string): string | undefined {
  if (!body.includes("null")) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isRecord(read)) return undefined;
  const members = Object.entries(read);
  const kept = members.filter(([, value]) => value !== null);
  return kept.length < members.length ? JSON.stringify(Object.fromEntries(kept)) : undefined;
}
