import type { HttpServerDefinition, SseServerDefinition } from "@jackfield/mcp-core";
import type { EntryValues } from "./entry-values.ts";

/**
 * Adds the headers for which an entry names variables. A header whose variable is unset or empty is not sent; a bearer token is
 * required.
 *
 * @param tokenField - the host's name for the field that names the token's variable, if it is known
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

/** Sets a header and removes other spellings of its name, which is case-insensitive: both would be sent as one, or the old one alone. */
function setHeader(headers: { [name: string]: string }, header: string, value: string): void {
  const lowered = header.toLowerCase();
  for (const name of Object.keys(headers)) if (name.toLowerCase() === lowered) delete headers[name];
  headers[header] = value;
}
