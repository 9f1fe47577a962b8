import { COMMON_FIELDS } from "../entry/entry-dialect.ts";
import type { JsonMap } from "../read/json-value.ts";
import { NO_VARIABLES } from "../resolve/variables.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { applicationData, configHome, inHome, joined, upward, within } from "./host-paths.ts";

/** Servers are a part of the editor's settings. Times are seconds. An entry with settings and no command belongs to an extension. */
export const ZED: HostDialect = {
  id: "zed",
  title: "Zed",
  format: "jsonc",
  files: [
    { kind: "project", scope: "project", paths: upward(".zed/settings.json") },
    { kind: "user", scope: "user", paths: within(settingsFolder, "settings.json") },
  ],
  misplaced: {
    user: (at) => [...within(settingsFolder, "mcp.json")(at), ...inHome(".zed/settings.json")(at)],
    project: upward(".zed/mcp.json"),
  },
  servers: serversUnder("context_servers"),
  entry: {
    transport: { types: {}, untypedUrl: "http" },
    fields: { ...COMMON_FIELDS, timeoutMs: [{ field: "timeout", unit: "seconds" }] },
    switches: ["enabled"],
    oauth: { object: "oauth", members: { client_id: "clientId", client_secret: "clientSecret" } },
    extraFields: ["remote", "settings"],
    inner: [
      {
        field: "command",
        members: { path: "command", args: "args", env: "env" },
        mayBeField: true,
        isOld: `"command" contains path, args and env, as in older versions (command-object).`,
      },
    ],
    reshape: withoutSource,
    notRunnable: (entry) =>
      isOfExtension(entry) ? "only an extension knows its command (extension-provided)" : undefined,
  },
  variables: NO_VARIABLES,
};

/** The only fields of an entry without settings whose command comes from an extension. */
const OF_EXTENSION = ["source", "enabled", "remote"];

/**
 * An entry with the source `custom` is the user's own, and so is one with other fields and no settings: that one lacks a field, or
 * has it under a wrong name.
 */
function isOfExtension(entry: JsonMap): boolean {
  if (["command", "url"].some((way) => Object.hasOwn(entry, way)) || entry.source === "custom") return false;
  const fields = Object.keys(entry);
  return (
    entry.source === "extension" ||
    Object.hasOwn(entry, "settings") ||
    (fields.length > 0 && fields.every((field) => OF_EXTENSION.includes(field)))
  );
}

/** `source` only tells the user's own entries from an extension's, which other fields tell as well. */
function withoutSource(written: JsonMap): JsonMap {
  const { source, oauth, ...entry } = written;
  if (source === undefined && oauth !== null) return written;
  // `null` stands for no settings.
  return oauth === undefined || oauth === null ? entry : { ...entry, oauth };
}

function settingsFolder(at: HostSurroundings): string {
  return at.platform === "win32" ? joined(at, applicationData(at), "Zed") : joined(at, configHome(at), "zed");
}
