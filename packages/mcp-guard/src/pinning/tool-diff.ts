import { latePattern } from "../late-pattern.ts";
import { PINNED_FIELDS, type PinnedTool } from "./tool-digest.ts";

/** One place in which two versions of a tool differ. A missing side has no value there. */
export interface ToolChange {
  /** A JSON pointer into the tool, for example `/inputSchema/properties/path/description`. */
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What differs between two versions of a tool, in the order in which a reader would go through it. Pure. */
export function diffTools(before: PinnedTool, after: PinnedTool): readonly ToolChange[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => shownChange(path, old.get(path), now.get(path)));
}

/** Strings are shown without quotes, except beside a value of another type, which could look the same. */
function shownChange(path: string, before: string | undefined, after: string | undefined): ToolChange {
  const areStrings = [before, after].every((json) => json === undefined || json.startsWith('"'));
  const shown = (json: string | undefined) =>
    json === undefined || !areStrings ? json : (JSON.parse(json) as string);
  return { path, before: shown(before), after: shown(after) };
}

/**
 * Formats the changes as lines for a person; `text` makes a server's text safe to show. Where that makes both sides of a change
 * the same, what it took out is shown as escapes, for example `\u{200b}`.
 */
export function formatChanges(changes: readonly ToolChange[], text: (value: string) => string): string {
  const side = (sign: string, value: string | undefined) =>
    value === undefined ? [] : value.split("\n").map((line) => `  ${sign} ${line}`);
  return changes
    .flatMap(({ path, before, after }) => {
      const isHidden = before !== undefined && after !== undefined && text(before) === text(after);
      const shown = (value: string | undefined) => value && text(isHidden ? withEscapes(value) : value);
      return [text(path), ...side("-", shown(before)), ...side("+", shown(after))];
    })
    .join("\n");
}

/** Everything that is not seen as it stands. */
const unseen = latePattern(String.raw`(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]`, "gu");

function withEscapes(value: string): string {
  return value.replace(unseen(), (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const MAX_DEPTH = 64;

/** Every value that has no parts, as JSON, by its JSON pointer. */
function leavesOf(tool: PinnedTool): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    const isBranch = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (!isBranch || depth >= MAX_DEPTH) {
      leaves.set(path, JSON.stringify(value));
      return;
    }
    const members = Object.entries(value);
    if (!Array.isArray(value)) members.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, member] of members) visit(member, `${path}/${escapePointer(name)}`, depth + 1);
  };
  for (const field of PINNED_FIELDS) {
    if (tool[field] !== undefined) visit(tool[field], `/${field}`, 1);
  }
  return leaves;
}

/** RFC 6901, section 3. */
function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
