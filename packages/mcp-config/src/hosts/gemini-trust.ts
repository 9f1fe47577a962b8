import { isMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { realFileOf } from "../text-file.ts";
import type { FindingContext, HostDocument } from "./host-dialect.ts";
import { folderKey, pathRules } from "./host-paths.ts";
import type { ListReader } from "./list-reader.ts";

const SWITCH = ["security", "folderTrust", "enabled"];

/** A project cannot say of itself that it is trusted, and neither can an extension. */
const DECIDING = ["system", "user", "system-defaults"];

const RULES = "trusted-folders";

/** The kinds of files that decide on trust. */
export const TRUST_FILES: readonly string[] = [...DECIDING, RULES];

/** Of rules for the same folder, the last counts. */
const LEVELS = ["TRUST_PARENT", "TRUST_FOLDER", "DO_NOT_TRUST"];

/**
 * Whether Gemini CLI reads a project's settings. Where `security.folderTrust.enabled` is on, the user's `trustedFolders.json` must say so. Its
 * documentation has that off and newer versions have it on where nothing is said, so then only a folder is left out that is not to be trusted.
 * Of a file that cannot be read nobody knows which folders those are, and a switch that cannot be read counts as on, as does that of settings
 * that cannot be read as a whole. What is said of a folder and cannot be read counts as `DO_NOT_TRUST`.
 */
export function trustsFolder(
  documents: readonly HostDocument[],
  folder: string,
  context: FindingContext,
): boolean {
  if (context.env?.GEMINI_CLI_TRUST_WORKSPACE === "true") return true;
  const isOn = documents
    .filter(decidesOnTrust)
    .map(folderTrust)
    .find((found) => found !== undefined);
  if (isOn === false) return true;
  const files = documents.filter(({ kind }) => kind === RULES);
  if (files.some(({ isBroken }) => isBroken)) return false;
  const rules = files.map(({ content }) => content);
  const level = rules
    .map((content) => levelOf(folder, content, context))
    .find((found) => found !== undefined);
  return level === undefined ? isOn === undefined : level !== "DO_NOT_TRUST";
}

/** Tells of a switch, or of what is said of a folder, that cannot be read. */
export function checkFolderTrust(document: HostDocument, reader: ListReader): void {
  if (decidesOnTrust(document)) {
    reader.flag(document, SWITCH, "So only projects in trusted folders are used.");
  }
  if (document.kind !== RULES) return;
  for (const path of Object.keys(document.content)) {
    const level = document.content[path];
    if (levelIn(level) !== undefined) continue;
    const wanted = `${LEVELS.map(quote).join(" or ")}${typeof level === "string" ? "" : `, not ${kindOf(level)}`}`;
    reader.refuse(document, [path], wanted, "So the folder is not trusted.");
  }
}

function decidesOnTrust({ kind }: HostDocument): boolean {
  return DECIDING.includes(kind);
}

/** `null` where nobody knows what is said; `undefined` where nothing is. */
function folderTrust({ content, isBroken }: HostDocument): unknown {
  if (isBroken) return null;
  let found: unknown = content;
  for (const step of SWITCH) {
    if (!isMap(found)) return null;
    if (!Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** Which of the levels something is, if it is one. */
function levelIn(value: unknown): number | undefined {
  const level = typeof value === "string" ? LEVELS.indexOf(value) : -1;
  return level === -1 ? undefined : level;
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
    const level = levelIn(rules[path]) ?? LEVELS.indexOf("DO_NOT_TRUST");
    const top = resolve(LEVELS[level] === "TRUST_PARENT" ? dirname(path) : path);
    const key = folderKey(locate(top), context);
    const isMeant = own === key || own.startsWith(key.endsWith("/") ? key : `${key}/`);
    if (!isMeant || key.length < longest) continue;
    found = key.length > longest ? level : Math.max(found, level);
    longest = key.length;
  }
  return LEVELS[found];
}
