import { isRecord, isSameJson } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import { quote } from "../server-name.ts";
import { prefixedBraces } from "../variable-syntax.ts";
import { type HostDialect, type HostPath, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { absolute, applicationData, inDirectory, inHome, joined } from "./host-paths.ts";

const FILE = "cline_mcp_settings.json";
const STORAGE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings";

/** One file for the extension and the command line. A URL without a type is SSE. Times are seconds, from 1 to 3,600. */
export const CLINE: HostDialect = {
  id: "cline",
  title: "Cline",
  format: "json",
  files: [
    { kind: "user", scope: "user", paths: settingsFile },
    {
      // The extension's former places; newer versions move the files.
      kind: "extension-storage",
      scope: "user",
      paths: (at) => [
        ...inDirectory(at, joined(at, applicationData(at), STORAGE), FILE),
        ...inHome(`Documents/Cline/MCP/${FILE}`)(at),
      ],
    },
  ],
  servers: serversUnder("mcpServers"),
  entry: entryDialect({
    transport: {
      field: "type",
      types: { stdio: "stdio", sse: "sse", streamableHttp: "http" },
      untypedUrl: "sse",
    },
    fields: {
      ...COMMON_FIELDS,
      timeoutMs: [{ field: "timeout", unit: "seconds", leastMs: 1_000, mostMs: 3_600_000 }],
      autoApprove: "autoApprove",
    },
    switches: ["disabled"],
    outdated: { transportType: "legacy-field" },
    extraFields: ["transport", "remoteConfigured", "metadata", "oauth"],
    reshape,
    writtenAt,
    removedFields,
  }),
  variables: { syntaxes: [prefixedBraces({ env: "environment" })], whenUnset: "literal", ownEnv: "remote" },
};

/** The value that switches a server off, by field. */
const OFF: { readonly [field: string]: boolean } = { disabled: true, enabled: false };

/** The command line nests the fields that reach the server in `transport`. The old `transportType` calls Streamable HTTP `http`. */
function reshape(written: JsonMap, remark: RemarkOnEntry): JsonMap {
  if (written.transport === undefined && written.transportType === undefined) return written;
  const { transport, transportType, ...entry } = written;
  if (transport !== undefined && !isRecord(transport)) {
    const text = `"transport" must be an object with "type" and what goes with it, not ${kindOf(transport)}. It is left out.`;
    remark("invalid-field", "transport", text);
  }
  const nested = isRecord(transport) ? transport : {};
  const ignored = ignoredFields(entry, nested);
  for (const field of ignored) {
    const [name, inTransport] = [quote(field), `${quote(field)} in "transport"`];
    const isNested = winsFlat(field, nested);
    const text = isNested ? `${inTransport} is ignored; ${name}` : `${name} is ignored; ${inTransport}`;
    remark("unused-field", isNested ? "transport" : field, `${text} wins.`);
  }
  const flat = { ...entry, ...nested };
  for (const field of ignored) if (winsFlat(field, nested)) flat[field] = entry[field];
  if (transportType === undefined) return flat;
  if (isOtherType(transportType, flat.type)) {
    remark("unused-field", "transportType", `"transportType" is ignored; "type" wins.`);
  }
  return { type: typeOf(transportType), ...flat };
}

/** Fields that an entry and its `transport` both have, with different values. */
function ignoredFields(entry: JsonMap, nested: JsonMap): readonly string[] {
  return Object.keys(entry).filter(
    (field) => Object.hasOwn(nested, field) && !isSameJson(entry[field], nested[field]),
  );
}

/** Nested fields win, except over a switch that only the entry itself sets to off. */
function winsFlat(field: string, nested: JsonMap): boolean {
  return Object.hasOwn(OFF, field) && nested[field] !== OFF[field];
}

function typeOf(transportType: unknown): unknown {
  return transportType === "http" ? "streamableHttp" : transportType;
}

function isOtherType(transportType: unknown, type: unknown): boolean {
  return transportType !== undefined && type !== undefined && typeOf(transportType) !== type;
}

/** Values that are ignored because another one wins. */
function removedFields({ transport, transportType, ...entry }: JsonMap): JsonMap | undefined {
  const nested = isRecord(transport) ? transport : {};
  const aside = createMap();
  const ignoredInTransport = createMap();
  for (const field of ignoredFields(entry, nested)) {
    if (winsFlat(field, nested)) ignoredInTransport[field] = nested[field];
    else aside[field] = entry[field];
  }
  if (Object.keys(ignoredInTransport).length > 0) aside.transport = ignoredInTransport;
  if (isOtherType(transportType, nested.type ?? entry.type)) aside.transportType = transportType;
  return Object.keys(aside).length > 0 ? aside : undefined;
}

function writtenAt(path: JsonPath, entry: JsonMap): JsonPath {
  const { transport } = entry;
  const [field = ""] = path;
  const isNested = isRecord(transport) && Object.hasOwn(transport, field);
  if (isNested && !(Object.hasOwn(entry, field) && winsFlat(String(field), transport)))
    return ["transport", ...path];
  const isOldType =
    field === "type" && !isNested && !Object.hasOwn(entry, "type") && Object.hasOwn(entry, "transportType");
  return isOldType ? ["transportType"] : path;
}

function settingsFile(at: HostSurroundings): HostPath[] {
  const named = absolute(at, "CLINE_MCP_SETTINGS_PATH");
  if (named !== undefined) return [{ file: named }];
  const home = absolute(at, "CLINE_DIR") ?? joined(at, at.home, ".cline");
  const data = absolute(at, "CLINE_DATA_DIR") ?? joined(at, home, "data");
  return inDirectory(at, joined(at, data, "settings"), FILE);
}
