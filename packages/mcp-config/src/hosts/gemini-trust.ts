import { isMap, type JsonMap } from "../documents/json-value.ts";
import { realFileOf } from "../text-file.ts";
import type { FindingContext, HostDocument } from "./host-dialect.ts";
import { folderKey, pathRules } from "./host-paths.ts";
import type { ListReader } from "./list-reader.ts";

const SWITCH = ["security", "folderTrust", "enabled"];

/** Of rules for the same folder, the last counts. */
const LEVELS = ["TRUST_PARENT", "TRUST_FOLDER", "DO_NOT_TRUST"];

/**
 * Whether Gemini CLI reads a project's settings. Where `security.folderTrust.enabled` is on, the user's `trustedFolders.json` must say so. Its
 * documentation has that off and newer versions have it on where nothing is said, so then only a folder is left out that is not to be trusted.
 * Of a file that cannot be read nobody knows which folders those are, and a switch that cannot be read counts as on.
 */
export function trustsFolder(
  documents: readonly HostDocument[],
  folder: string,
  context: FindingContext,
): boolean {
  if (context.env?.GEMINI_CLI_TRUST_WORKSPACE === "true") return true;
  const isOn = documents
    .filter(decidesOnTrust)
    .map(({ content }) => folderTrust(content))
    .find((found) => found !== undefined);
  if (isOn === false) return true;
  const files = documents.filter(({ kind }) => kind === "trusted-folders");
  if (files.some(({ isBroken }) => isBroken)) return false;
  const rules = files.map(({ content }) => content);
  const level = rules
    .map((content) => levelOf(folder, content, context))
    .find((found) => found !== undefined);
  return level === undefined ? isOn === undefined : level !== "DO_NOT_TRUST";
}

/** Tells of a switch that cannot be read. */
export function checkFolderTrust(document: HostDocument, reader: ListReader): void {
  if (!decidesOnTrust(document)) return;
  reader.flag(document, SWITCH, "So only projects in trusted folders are used.");
}

/** A project cannot say of itself that it is trusted. */
function decidesOnTrust({ scope }: HostDocument): boolean {
  return scope === "managed" || scope === "user";
}

function folderTrust({ security }: JsonMap): unknown {
  return isMap(security) && isMap(security.folderTrust) ? security.folderTrust.enabled : undefined;
}

/** The host compares where folders really are. What is not to be trusted as it is written is not trusted either, wherever links lead. */
function levelOf(folder: string, rules: JsonMap, context: FindingContext): string | undefined {
  const written = nearestLevel(folder, rules, context, (path) => path);
  return written === "DO_NOT_TRUST"
    ? written
    : nearestLevel(folder, rules, context, (path) => realFileOf(path) ?? path);
}

/** What the rule for the nearest folder says. */
function nearestLevel(
  folder: string,
  rules: JsonMap,
  context: FindingContext,
  locate: (path: string) => string,
): string | undefined {
  const { dirname, resolve } = pathRules(context);
  const own = folderKey(locate(folder), context);
  let longest = -1;
  let found = -1;
  for (const path of Object.keys(rules)) {
    const level = LEVELS.indexOf(String(rules[path]));
    const top = resolve(LEVELS[level] === "TRUST_PARENT" ? dirname(path) : path);
    const key = folderKey(locate(top), context);
    const isMeant = own === key || own.startsWith(key.endsWith("/") ? key : `${key}/`);
    if (level === -1 || !isMeant || key.length < longest) continue;
    found = key.length > longest ? level : Math.max(found, level);
    longest = key.length;
  }
  return LEVELS[found];
}
