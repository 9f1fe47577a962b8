import type { HttpServerDefinition, SseServerDefinition } from "@jackfield/mcp-core";
import type { EntryValues } from "./entry-values.ts";

/**
 * Adds the headers for which an entry names variables. One whose variable is unset or empty is not sent; a bearer token must be there.
 *
 * @param tokenField - what the entry's host calls the field that names the token's variable, if that is known
 */
export function addHeadersFromEnv(
  headers: { [name: string]: string },
  { headersFromEnv = {}, bearerTokenEnv }: HttpServerDefinition | SseServerDefinition,
  values: EntryValues,
  tokenField: string | undefined,
): void {
  for (const [header, variable] of Object.entries(headersFromEnv)) {
    const value = values.lookup(variable);
    if (value) setHeader(headers, header, value);
  }
  if (bearerTokenEnv === undefined) return;
  const token = values.require(bearerTokenEnv, tokenField === undefined ? undefined : [tokenField]);
  setHeader(headers, "Authorization", `Bearer ${token}`);
}

/** Takes the place of the same header, whose name has no case: both would be sent as one, or the old one alone. */
function setHeader(headers: { [name: string]: string }, header: string, value: string): void {
  const lowered = header.toLowerCase();
  for (const name of Object.keys(headers)) if (name.toLowerCase() === lowered) delete headers[name];
  headers[header] = value;
}
