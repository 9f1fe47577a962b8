import { isRecord, isSameJson, MAX_TIMER_MS, type OAuthSettings, type ToolFilter } from "@jackfield/mcp-core";
import { createMap, type JsonMap, type JsonPath, kindOf, ownMember } from "../read/json-value.ts";
import { environmentNameFault } from "../resolve/safe-environment.ts";
import { currentNames, type EntryDialect, type FieldNames } from "./entry-dialect.ts";
import type { EntryFault, EntryReading, FaultAt } from "./entry-fault.ts";
import { isHeaderName } from "./http-syntax.ts";
import { quote, quoteWord } from "./server-name.ts";
import { isAbsent, type Spelling } from "./shape.ts";
import type { WrittenServer } from "./written-server.ts";

/** How the server of an entry is reached. */
export type EntryTransport = WrittenServer["transport"] | "in-process";

/**
 * The transport of an entry: the one its type names, which also decides which of a command and a URL counts. Without a type, a command
 * is `stdio`, and a URL is what the host takes it for.
 *
 * @throws EntryFault if it names no way to reach a server, or several without a type, or if the type is unknown or does not fit
 */
export function readTransport(
  entry: JsonMap,
  dialect: EntryDialect,
  mayHoldServer: boolean,
  reading: EntryReading,
): EntryTransport {
  const { faultAt } = reading;
  const { transport: rule, fields, outdated } = dialect;
  const type = rule.field === undefined ? undefined : (ownMember(entry, rule.field) ?? undefined);
  const field = rule.field ?? "type";
  const command = fieldIn(entry, fields.command);
  const url = fieldIn(entry, fields.url);
  const instance = mayHoldServer && (entry.server ?? undefined) !== undefined ? "server" : undefined;
  const present = [command, url, instance].filter((name) => name !== undefined);
  const [target, second] = present;
  if (target === undefined) throw noTarget(dialect, mayHoldServer, reading);
  if (type === undefined || type === "") {
    if (second !== undefined) throw hasBoth(target, second, faultAt);
    if (target === instance) return "in-process";
    if (target === command) return "stdio";
    if (rule.untypedUrl !== "refused") return rule.untypedUrl;
    const types = Object.keys(rule.types).filter((written) => rule.types[written] !== "stdio");
    const text = `its host requires ${quote(field)} with ${quote(target)} for a remote server; add ${quote(field)}: ${types.map(quote).join(" or ")}.`;
    throw faultAt([target], text, true);
  }
  if (typeof type !== "string") throw faultAt([field], `must be a string, not ${kindOf(type)}.`);
  const transport = ownMember(rule.types, type);
  if (transport === undefined) {
    const known = Object.keys(rule.types).map(quote).join(", ");
    throw faultAt([field], `is ${quoteWord(type)}, but must be one of ${known}.`);
  }
  if (instance !== undefined && second !== undefined) throw hasBoth(target, instance, faultAt);
  if ((transport === "stdio" ? command : url) !== undefined) return transport;
  const [wanted = ""] = currentNames(fields[transport === "stdio" ? "command" : "url"], outdated);
  const text = `is ${quote(type)}, which goes with ${quote(wanted)}, but the entry has ${quote(target)}; correct or remove it.`;
  throw faultAt([field], text);
}

function hasBoth(target: string, second: string, faultAt: FaultAt): EntryFault {
  return faultAt([second], `it has both ${quote(target)} and ${quote(second)}; keep the one you mean.`, true);
}

/** The first of these fields that holds something; a list without a program holds nothing. */
function fieldIn(entry: JsonMap, names: FieldNames = []): string | undefined {
  return [names].flat().find((name) => {
    const value = ownMember(entry, name);
    return !isAbsent(value) && !(Array.isArray(value) && value.length === 0);
  });
}

/** Says what is missing. Not every host knows both a command and a URL. */
function noTarget(
  { fields, outdated }: EntryDialect,
  mayHoldServer: boolean,
  { given, faultAt }: EntryReading,
): EntryFault {
  if (mayHoldServer && Object.hasOwn(given, "server"))
    return faultAt(["server"], "must be an MCP server or a function that makes one, not null.");
  const idle = [fields.command ?? [], fields.url ?? []].flat().find((name) => Object.hasOwn(given, name));
  if (idle !== undefined && given[idle] !== undefined)
    return faultAt([idle], given[idle] === null ? "must be a string, not null." : "is empty.");
  const ways = [
    { names: [fields.command ?? []].flat(), server: "a local server" },
    { names: currentNames(fields.url, outdated), server: "a remote one" },
  ].flatMap(({ names: [field], server }) => (field === undefined ? [] : [{ field: quote(field), server }]));
  const missing = ways.map(({ field }) => field).join(" nor ");
  const steps = ways.map(({ field, server }) => (ways.length === 1 ? field : `${field} for ${server}`));
  const inCode = mayHoldServer ? `, or "server" for one in this process` : "";
  return faultAt(
    [],
    `it has ${ways.length === 1 ? "no" : "neither"} ${missing}; add ${steps.join(" or ")}${inCode}.`,
  );
}

/**
 * The value of a field, checked by its kind.
 *
 * @throws EntryFault if it is of another kind
 */
export function readValue(spelling: Spelling, value: unknown, reading: EntryReading): unknown {
  const { kind, name, field } = spelling;
  const { faultAt } = reading;
  switch (kind) {
    case "text":
      return checkText(value, [name], faultAt);
    case "texts":
      return checkTexts(value, [name], faultAt);
    case "variables":
      return readMap(value, name, environmentNameFault, reading, "error");
    case "headers":
      return readMap(value, name, headerNameFault, reading);
    case "switch":
    case "flag":
      if (typeof value === "boolean") return value;
      throw faultAt([name], `must be true or false, not ${kindOf(value)}.`);
    case "amount":
      return checkAmount(value, name, faultAt);
    case "time":
      return checkTime(value, spelling, faultAt);
    case "era":
      if (value === "legacy" || value === "modern") return value;
      throw faultAt([name], `must be "legacy" or "modern", not ${kindOf(value)}.`);
    case "filter":
      return isRecord(value) && MAY_BE_OBJECTS.includes(name)
        ? readToolsObject(value, name, faultAt)
        : { [field]: checkTexts(value, [name], faultAt) };
  }
}

/** Names of filters that may hold `include` and `exclude` in place of a list. */
export const MAY_BE_OBJECTS: readonly string[] = ["tools", "toolFilter", "tool_filter"];

function readToolsObject(written: JsonMap, field: string, faultAt: FaultAt): ToolFilter {
  const read = (member: string) => {
    const list = written[member] ?? undefined;
    return list === undefined ? undefined : checkTexts(list, [field, member], faultAt);
  };
  const [stray] = Object.keys(written).filter((member) => member !== "include" && member !== "exclude");
  if (stray === undefined) return { include: read("include"), exclude: read("exclude") };
  throw faultAt([field, stray], `cannot be there: ${quote(field)} can have only "include" and "exclude".`);
}

function headerNameFault(name: string): string | undefined {
  return isHeaderName(name) ? undefined : "is not a valid header name";
}

/** Texts by name, without prototype. Where faults are tolerated, a faulty member is left out. `null` unsets a variable. */
function readMap(
  found: unknown,
  field: string,
  nameFault: (name: string) => string | undefined,
  reading: EntryReading,
  severity?: "error",
): { readonly [name: string]: string | null } {
  const { faultAt, strict, inCode } = reading;
  if (!isRecord(found)) throw faultAt([field], `must be an object of strings, not ${kindOf(found)}.`);
  const isRight = (name: string) => isText(found[name]) && nameFault(name) === undefined;
  // Nobody else holds the values of a parsed document, so they need no copy.
  const isOurs = !inCode && Object.getPrototypeOf(found) === null;
  if (isOurs && Object.keys(found).every(isRight)) return found as { readonly [name: string]: string };
  const read = (name: string) => {
    const fault = nameFault(name);
    if (fault) throw faultAt([field, name], `${fault}.`);
    const value = found[name];
    if (value === undefined || (value === null && severity === undefined)) return undefined;
    if (value === null) return null;
    if (strict) return checkText(value, [field, name], faultAt);
    return coerceText(value, [field, name], faultAt);
  };
  const texts = createMap<string | null>();
  for (const name of Object.keys(found)) {
    const text = reading.optional(() => read(name), undefined, severity);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

function isText(found: unknown): found is string {
  return typeof found === "string" && !found.includes("\0");
}

function checkText(found: unknown, path: JsonPath, faultAt: FaultAt): string {
  if (isText(found)) return found;
  if (typeof found === "string") throw faultAt(path, "contains a NUL character.");
  const hint = typeof found === "number" || typeof found === "boolean" ? "; put it in quotes" : "";
  throw faultAt(path, `must be a string, not ${kindOf(found)}${hint}.`);
}

/** Many hosts accept a number or a boolean as its text. */
function coerceText(found: unknown, path: JsonPath, faultAt: FaultAt): string {
  if (Number.isInteger(found) && !Number.isSafeInteger(found))
    throw faultAt(path, "has more digits than a number can hold; put it in quotes.");
  const isScalar = typeof found === "boolean" || (typeof found === "number" && Number.isFinite(found));
  return isScalar ? String(found) : checkText(found, path, faultAt);
}

function checkTexts(found: unknown, path: JsonPath, faultAt: FaultAt): readonly string[] {
  if (!Array.isArray(found)) throw faultAt(path, `must be an array of strings, not ${kindOf(found)}.`);
  return Array.from(found, (element, index) => checkText(element, [...path, index], faultAt));
}

function checkAmount(found: unknown, field: string, faultAt: FaultAt): number {
  if (typeof found === "number" && Number.isFinite(found) && found >= 0) return found;
  const kind = typeof found === "number" ? String(found) : kindOf(found);
  throw faultAt([field], `must be a finite number of at least 0, not ${kind}.`);
}

function checkTime(found: unknown, { name, unitMs, leastMs, mostMs }: Spelling, faultAt: FaultAt): number {
  const written = checkAmount(found, name, faultAt);
  // Seconds with decimals, such as 1.1, would leave fractions of a millisecond behind.
  const time = unitMs === 1 ? written : Math.round(written * unitMs);
  if (time > MAX_TIMER_MS) throw faultAt([name], `must be at most ${MAX_TIMER_MS} ms; write 0 for no limit.`);
  if (time >= leastMs && time <= mostMs) return time;
  throw faultAt([name], "is outside the range that its host accepts.");
}

/** The types of the settings that Jackfield or Copilot CLI reads. Others are kept as written. */
const KINDS: { readonly [setting: string]: "string" | "number" | "boolean" | "string or false" } = {
  enabled: "boolean",
  clientId: "string",
  clientSecret: "string",
  redirectUri: "string",
  callbackPort: "number",
  resource: "string or false",
  authorizationUrl: "string",
  tokenUrl: "string",
  issuer: "string",
  publicClient: "boolean",
  grantType: "string",
  privateKey: "string",
  algorithm: "string",
  dpop: "boolean",
};

/** Whether a field of an entry holds settings for OAuth. */
export function isOAuthField(field: string, { oauth = {} }: EntryDialect): boolean {
  return field === oauth.object || Object.hasOwn(oauth.fields ?? {}, field);
}

/**
 * Reads the settings for OAuth; `false` if the entry switches OAuth off. A field of the entry beats a member of the object. If several
 * fields hold the same setting, the first one counts, and a field with another value is left unread.
 */
export function readOAuth(
  entry: JsonMap,
  { oauth = {} }: EntryDialect,
  reading: EntryReading,
): OAuthSettings | false | undefined {
  const { object, members = {}, fields = {} } = oauth;
  const settings = createMap();
  const written = object === undefined ? undefined : ownMember(entry, object);
  if (object !== undefined && written !== undefined && written !== null) {
    const held = reading.optional(() => readObject(object, written, reading));
    if (held === false) {
      for (const field of Object.keys(fields))
        if (Object.hasOwn(entry, field)) reading.leave(field, entry[field]);
      return false;
    }
    for (const [member, value] of Object.entries(held ?? {})) {
      const name = ownMember(members, member) ?? member;
      const read = reading.optional(() => readSetting(name, value, [object, member], reading));
      if (read !== undefined) settings[name] = read;
    }
  }
  const ofFields = createMap();
  for (const [field, name] of Object.entries(fields)) {
    const value = ownMember(entry, field);
    const read = reading.optional(() => readSetting(name, value, [field], reading));
    if (read === undefined) continue;
    if (!Object.hasOwn(ofFields, name)) ofFields[name] = read;
    else if (!isSameJson(ofFields[name], read)) reading.leave(field, value);
  }
  Object.assign(settings, ofFields);
  return Object.keys(settings).length === 0 ? undefined : (settings as OAuthSettings);
}

function readObject(field: string, written: unknown, { faultAt }: EntryReading): JsonMap | false {
  if (typeof written === "boolean") return written ? { enabled: true } : false;
  if (isRecord(written)) return written;
  throw faultAt([field], `must be an object, true or false, not ${kindOf(written)}.`);
}

function readSetting(
  name: string,
  written: unknown,
  path: readonly string[],
  { faultAt }: EntryReading,
): unknown {
  if (written === undefined) return undefined;
  if (name === "scopes") return readScopes(written, path, faultAt);
  const kind = ownMember(KINDS, name);
  if (kind === undefined) return written;
  if (written === null || written === "") return undefined;
  if (typeof written === kind) return written;
  if (kind === "string or false" && (typeof written === "string" || written === false)) return written;
  throw faultAt(path, `must be a ${kind}, not ${kindOf(written)}.`);
}

/** A list, or one text with spaces between the scopes (RFC 6749, section 3.3). */
function readScopes(written: unknown, path: readonly string[], faultAt: EntryReading["faultAt"]): unknown {
  if (written === null) return undefined;
  if (typeof written === "string") return written.split(/\s+/).filter((scope) => scope !== "");
  if (Array.isArray(written) && written.every((scope) => typeof scope === "string")) return written;
  throw faultAt(path, `must be a list of scopes, not ${kindOf(written)}.`);
}
