import {
  credentialsOfAuthorization,
  credentialsOfHeader,
  type HttpServerDefinition,
  isRecord,
  type McpError,
  type ResolveOptions,
  type ServerDefinition,
  type SseServerDefinition,
  thrownMessage,
  toMcpError,
} from "@jackfield/mcp-core";
import { isHeaderName, isHeaderValue, isHttpUrl } from "../entry/http-syntax.ts";
import { quote } from "../entry/server-name.ts";
import { invalidServer, locationOf } from "../find/diagnostics.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { fieldName, type JsonPath } from "../read/json-value.ts";
import type { EntryValues } from "./lookup.ts";
import type { VariableDialect } from "./variables.ts";

export const ADVICE_ON_VALUES = "check its value and its variables";

type RemoteDefinition = HttpServerDefinition | SseServerDefinition;

/** Fills in the address and the headers of a remote server. */
export async function resolveRemote(
  definition: RemoteDefinition,
  values: EntryValues,
  { omitsEmptyHeaders }: VariableDialect,
  asked: ResolveOptions,
) {
  const { headersFromEnv = {}, bearerTokenEnv } = definition;
  const url = values.expand(definition.url, ["url"]);
  const headers = values.expandAll(definition.headers, "headers");
  for (const [header, variable] of Object.entries(headersFromEnv)) {
    const value = values.lookup(variable);
    if (value) setHeader(headers, header, value);
  }
  if (bearerTokenEnv !== undefined) {
    const field = await tokenFieldOf(definition);
    const token = values.require(bearerTokenEnv, field === undefined ? undefined : [field]);
    setHeader(headers, "Authorization", `Bearer ${token}`);
  }
  values.checkComplete();
  if (!isHttpUrl(url)) {
    const fault = "is not an http(s) URL once its variables are filled in";
    throw unusable(definition, ["url"], `${fault}; ${ADVICE_ON_VALUES}`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === "" && omitsEmptyHeaders) delete headers[name];
    if (!isHeaderValue(value)) {
      const fault = "has a character that is not allowed in a header, such as a line break at its end";
      throw unusable(definition, ["headers", name], `${fault}; ${ADVICE_ON_VALUES}`);
    }
    for (const credential of credentialsOfHeader(name, value)) values.secrets.add(credential);
  }
  if (definition.makeHeaders !== undefined) await addMadeHeaders(definition, headers, values.secrets, asked);
  return { transport: definition.transport, url, headers };
}

/**
 * The host's name for the field with the variable of a bearer token, for the message that it has no value. `undefined` if the field
 * has several names: which of them the file has is not known here.
 */
async function tokenFieldOf({ definedIn: { host = JACKFIELD.id } }: RemoteDefinition) {
  const field = "bearerTokenEnv";
  if (host === JACKFIELD.id) return field;
  const { dialectOf } = await import("../find/search.ts");
  const [name = field, ...others] = [dialectOf(host)?.entry.fields[field] ?? field].flat();
  return others.length === 0 ? name : undefined;
}

/** Adds the headers that the program makes for a user. Each value counts as a credential, whatever its name is. */
async function addMadeHeaders(
  definition: RemoteDefinition,
  headers: { [name: string]: string },
  secrets: Set<string>,
  { principal, rejected, signal }: ResolveOptions,
): Promise<void> {
  const { name, makeHeaders } = definition;
  let made: unknown;
  try {
    made = await makeHeaders?.({ principal, rejected, signal });
  } catch (error) {
    const message = `Server ${quote(name)}: the function "headers" of its entry failed: ${thrownMessage(error)}`;
    throw toMcpError(error, "MCP_CONNECT_FAILED", message, { server: name, phase: "resolve" });
  }
  if (!isRecord(made))
    throw unusable(definition, ["headers"], "is a function that did not return headers by name");
  const pairs = Symbol.iterator in made ? [...(made as unknown as Headers)] : Object.entries(made);
  for (const [header, value] of pairs) {
    if (value === undefined) continue;
    if (typeof value !== "string" || !isHeaderName(header) || !isHeaderValue(value)) {
      const fault = "was returned by a function and cannot be sent; return a text in one line";
      throw unusable(definition, ["headers", header], fault);
    }
    setHeader(headers, header, value);
    for (const credential of [value, ...credentialsOfAuthorization(value)]) secrets.add(credential);
  }
}

/** Sets a header and removes other spellings of its name, which is case-insensitive: both would be sent as one, or the old one alone. */
function setHeader(headers: { [name: string]: string }, header: string, value: string): void {
  const lowered = header.toLowerCase();
  for (const name of Object.keys(headers)) if (name.toLowerCase() === lowered) delete headers[name];
  headers[header] = value;
}

/** The error for an unusable result. Neither its message nor a cause contains values, which may be secret. */
export function unusable({ name, definedIn }: ServerDefinition, path: JsonPath, fault: string): McpError {
  return invalidServer(name, locationOf(definedIn), `${quote(fieldName(path))} ${fault}.`, "resolve");
}
