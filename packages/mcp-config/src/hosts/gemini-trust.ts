import { isRecord } from "@jackfield/mcp-core";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { realFileOf } from "../text-file.ts";
import type { FindingContext, HostDocument } from "./host-dialect.ts";
import { folderKey, pathRules } from "./host-paths.ts";
import type { ListReader } from "./list-reader.ts";

const SWITCH = ["security", "folderTrust", "enabled"];

/** A project cannot declare itself trusted, and neither can an extension. */
const DECIDING = ["system", "user", "system-defaults"];

const RULES = "trusted-folders";

/** The kinds of files that decide on trust. */
export const TRUST_FILES: readonly string[] = [...DECIDING, RULES];

/** Of several rules for one folder, the level that is last in this list wins. */
const LEVELS = ["TRUST_PARENT", "TRUST_FOLDER", "DO_NOT_TRUST"];

/**
 * Whether Gemini CLI reads a project's settings. If `security.folderTrust.enabled` is on, the user's `trustedFolders.json` must
 * trust the folder. If it is unset, it is off by the documentation and on in newer versions, so then only folders that are marked
 * `DO_NOT_TRUST` are left out. If `trustedFolders.json` cannot be read, no folder is trusted unless the switch is off. A switch, or
 * a whole settings file, that cannot be read counts as on; an unreadable level counts as `DO_NOT_TRUST`.
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

/** Reports a switch, or the level of a folder, that cannot be read. */
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

/** The value of the switch; `null` where it cannot be read, `undefined` where it is unset. */
function folderTrust({ content, isBroken }: HostDocument): unknown {
  if (isBroken) return null;
  let found: unknown = content;
  for (const step of SWITCH) {
    if (!isRecord(found)) return null;
    if (!Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** The index of a value in `LEVELS`, if it is one of them. */
function levelIn(value: unknown): number | undefined {
  const level = typeof value === "string" ? LEVELS.indexOf(value) : -1;
  return level === -1 ? undefined : level;
}

/** The host compares real paths. A folder marked `DO_NOT_TRUST` as it is written is not trusted either, wherever links lead. */
function levelOf(folder: string, rules: JsonMap, context: FindingContext): string | undefined {
  const written = nearestLevel(folder, rules, context, (path) => path);
  return written === "DO_NOT_TRUST"
    ? written
    : nearestLevel(folder, rules, context, (path) => realFileOf(path) ?? path);
}

/** The level of the rule for the nearest folder. */
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
    const isInside = own === key || own.startsWith(key.endsWith("/") ? key : `${key}/`);
    if (!isInside || key.length < longest) continue;
    found = key.length > longest ? level : Math.max(found, level);
    longest = key.length;
  }
  return LEVELS[found];
}
