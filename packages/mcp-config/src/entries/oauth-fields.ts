import { isRecord, isSameJson, type OAuthSettings } from "@jackfield/mcp-core";
import { createMap, type JsonMap, kindOf, ownMember } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import type { FaultAt } from "./entry-fields.ts";
import type { EntryReader } from "./written-entry.ts";

/** The types of the members that Jackfield or Copilot CLI reads. Others are kept as written. */
const MEMBER_KINDS: { readonly [member: string]: "string" | "number" | "boolean" } = {
  enabled: "boolean",
  clientId: "string",
  clientSecret: "string",
  redirectUri: "string",
  callbackPort: "number",
  resource: "string",
  publicClient: "boolean",
  grantType: "string",
};

/** The settings that may contain references, as headers may. */
export const REFERRING_SETTINGS = ["clientId", "clientSecret", "redirectUri", "resource"] as const;

/**
 * Reads the settings for OAuth; `false` if the entry switches OAuth off. A field of the entry beats a member of the object. If several
 * fields hold the same setting, the first one counts, and a field with another value is left unread.
 */
export function readOAuth(reader: EntryReader): OAuthSettings | false | undefined {
  const { fields, dialect } = reader;
  if (dialect.oauth === undefined) return undefined;
  const { object, members = {}, fields: own = {} } = dialect.oauth;
  const isWritten = (field: string | undefined) => field !== undefined && fields.has(field);
  if (!isWritten(object) && !Object.keys(own).some(isWritten)) return undefined;
  const settings = createMap();
  if (object !== undefined && fields.has(object)) {
    const written = fields.optional(() => readObject(object, reader));
    if (written === false) return false;
    for (const [member, value] of Object.entries(written ?? {})) {
      const name = ownMember(members, member) ?? member;
      const checked = readSetting(name, value, [object, member], reader);
      if (checked !== undefined) settings[name] = checked;
    }
  }
  const ofFields = createMap();
  for (const [field, name] of Object.entries(own)) {
    const value = readSetting(name, fields.value(field), [field], reader);
    if (value === undefined) continue;
    if (!Object.hasOwn(ofFields, name)) ofFields[name] = value;
    else if (!isSameJson(ofFields[name], value)) fields.leave(field);
  }
  Object.assign(settings, ofFields);
  return Object.keys(settings).length === 0 ? undefined : (settings as OAuthSettings);
}

function readObject(field: string, { fields, faultAt }: EntryReader): JsonMap | false {
  const written = fields.value(field);
  if (typeof written === "boolean") return written ? { enabled: true } : false;
  if (isRecord(written)) return written;
  throw faultAt([field], `${quote(field)} must be an object, true or false, not ${kindOf(written)}.`);
}

function readSetting(
  name: string,
  written: unknown,
  path: readonly string[],
  { fields, faultAt }: EntryReader,
): unknown {
  if (written === undefined) return undefined;
  return fields.optional(() => checkMember(name, written, path, faultAt));
}

function checkMember(name: string, written: unknown, path: readonly string[], faultAt: FaultAt): unknown {
  if (name === "scopes") return checkScopes(written, path, faultAt);
  const kind = Object.hasOwn(MEMBER_KINDS, name) ? MEMBER_KINDS[name] : undefined;
  if (kind === undefined || typeof written === kind) return written;
  throw faultAt(path, `${quote(path.at(-1) ?? "")} must be a ${kind}, not ${kindOf(written)}.`);
}

/** A list, or one text with spaces between the scopes (RFC 6749, section 3.3). */
function checkScopes(written: unknown, path: readonly string[], faultAt: FaultAt): readonly string[] {
  if (typeof written === "string") return written.split(/\s+/).filter((scope) => scope !== "");
  if (Array.isArray(written) && written.every((scope) => typeof scope === "string")) return written;
  throw faultAt(path, `${quote(path.at(-1) ?? "")} must be a list of scopes, not ${kindOf(written)}.`);
}
