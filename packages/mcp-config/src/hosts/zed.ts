import { isRecord } from "@jackfield/mcp-core";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { COMMON_FIELDS, entryDialect, type RemarkOnEntry } from "../entries/entry-dialect.ts";
import { NO_VARIABLES } from "../variables.ts";
import { type HostDialect, type HostSurroundings, serversUnder } from "./host-dialect.ts";
import { applicationData, configHome, joined, upward, within } from "./host-paths.ts";

/** Servers are a part of the editor's settings. Times are seconds. An entry with settings and no command belongs to an extension. */
export const ZED: HostDialect = {
  id: "zed",
  title: "Zed",
  format: "jsonc",
  files: [
    { kind: "project", scope: "project", paths: upward(".zed/settings.json") },
    { kind: "user", scope: "user", paths: within(settingsFolder, "settings.json") },
  ],
  servers: serversUnder("context_servers"),
  entry: entryDialect({
    transport: { types: {}, untypedUrl: "http" },
    fields: { ...COMMON_FIELDS, timeoutMs: [{ field: "timeout", unit: "seconds" }] },
    switches: ["enabled"],
    oauth: { object: "oauth", members: { client_id: "clientId", client_secret: "clientSecret" } },
    extraFields: ["remote", "settings"],
    reshape,
    writtenAt,
    removedFields: ({ command }) => {
      const { path: _path, args: _args, env: _env, ...others } = isRecord(command) ? command : {};
      return Object.keys(others).length > 0 ? { command: others } : undefined;
    },
    notRunnable: (entry) =>
      isOfExtension(entry) ? "only an extension knows its command (extension-provided)" : undefined,
  }),
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
function reshape(written: JsonMap, remark: RemarkOnEntry): JsonMap {
  const entry = withoutSource(written);
  const { command } = entry;
  if (!isRecord(command)) return entry;
  remark(
    "legacy-shape",
    "command",
    `"command" contains path, args and env, as in older versions (command-object).`,
  );
  const { path, args, env } = command;
  return {
    ...entry,
    command: path,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  };
}

function withoutSource(written: JsonMap): JsonMap {
  const { source, oauth, ...entry } = written;
  if (source === undefined && oauth !== null) return written;
  // `null` stands for no settings.
  return oauth === undefined || oauth === null ? entry : { ...entry, oauth };
}

function writtenAt(path: JsonPath, { command }: JsonMap): JsonPath {
  if (!isRecord(command)) return path;
  const [field = ""] = path;
  if (field === "command") return ["command", "path"];
  const isMoved = (field === "args" || field === "env") && command[field] !== undefined;
  return isMoved ? ["command", ...path] : path;
}

function settingsFolder(at: HostSurroundings): string {
  return at.platform === "win32" ? joined(at, applicationData(at), "Zed") : joined(at, configHome(at), "zed");
}
