import { canonicalJson } from "@jackfield/mcp-core";
import { latePattern } from "../late-pattern.ts";
import { cutText } from "../size/cut-text.ts";
import { PINNED_FIELDS, type PinnedTool } from "./tool-pin.ts";

/** One place in which two versions of a tool differ. A missing side has no value there. */
export interface ToolChange {
  /**
   * A JSON pointer into the tool, for example `/inputSchema/properties/path/description`. One of more than 1,000 characters is
   * shown without its middle. After 1,000 changes it says how many more there are, for example `and 20 more changes`.
   */
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** More than a person reads. A server could send a tool in which millions of places differ. */
const MOST_CHANGES = 1000;
const LONGEST_PATH = 1000;
const MAX_DEPTH = 64;

/**
 * What differs between two versions of a tool, in the order in which a reader would go through it: first what was there before,
 * then what is new. After 1,000 changes, one more entry says how many were left out. Pure.
 */
export function diffTools(before: PinnedTool, after: PinnedTool): readonly ToolChange[] {
  const comparison = new Comparison();
  for (const field of PINNED_FIELDS) comparison.compare(before[field], after[field], { name: field });
  return comparison.changes();
}

/** A place in a tool. A path for each would repeat a long name for everything below it. */
interface Place {
  readonly name: string;
  readonly container?: Place;
}

/** Walks over both versions side by side. */
class Comparison {
  readonly #earlier: ToolChange[] = [];
  readonly #added: ToolChange[] = [];
  #count = 0;

  compare(before: unknown, after: unknown, place: Place, depth = 1): void {
    const [old, now] = [membersOf(before, depth), membersOf(after, depth)];
    // As members, an element and a member of the same name would look the same.
    const isReshaped = old !== undefined && now !== undefined && Array.isArray(old) !== Array.isArray(now);
    const hasLeaf = (members: Members | undefined) => members === undefined || isReshaped;
    const oldJson = hasLeaf(old) ? jsonOf(before) : undefined;
    const newJson = hasLeaf(now) ? jsonOf(after) : undefined;
    if (oldJson !== newJson) this.#note(place, oldJson, newJson);
    if (isReshaped) return;
    for (const name of namesIn(old, now)) {
      this.compare(memberOf(old, name), memberOf(now, name), { name, container: place }, depth + 1);
    }
  }

  changes(): readonly ToolChange[] {
    const listed = [...this.#earlier, ...this.#added].slice(0, MOST_CHANGES);
    const more = this.#count - listed.length;
    if (more === 0) return listed;
    return [...listed, { path: `and ${more} more ${more === 1 ? "change" : "changes"}` }];
  }

  #note(place: Place, before: string | undefined, after: string | undefined): void {
    this.#count += 1;
    const changes = before === undefined ? this.#added : this.#earlier;
    if (changes.length < MOST_CHANGES) changes.push(shownChange(pathOf(place), before, after));
  }
}

type Members = readonly unknown[] | { readonly [name: string]: unknown };

/** The value itself if it has parts; too deep inside a tool, every value counts as one without. */
function membersOf(value: unknown, depth: number): Members | undefined {
  const isBranch = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return isBranch && depth < MAX_DEPTH ? (value as Members) : undefined;
}

function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

/** The names of all members, sorted; the indexes of lists are. */
function namesIn(old: Members | undefined, now: Members | undefined): readonly string[] {
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  return Array.isArray(old ?? now) ? names : names.sort();
}

function memberOf(members: Members | undefined, name: string): unknown {
  return members !== undefined && Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
}

/** The JSON pointer of a place (RFC 6901, section 3). */
function pathOf(place: Place): string {
  const names: string[] = [];
  for (let part: Place | undefined = place; part; part = part.container) names.unshift(part.name);
  const parts = names.map((name) => `/${shortened(name).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return shortened(parts.join(""));
}

/** A text without its middle, if it is too long to be shown. */
function shortened(text: string): string {
  if (text.length <= LONGEST_PATH) return text;
  const half = Math.floor(LONGEST_PATH / 2);
  // Where the end begins within a character, that character is dropped as a whole.
  const end = text.slice(-half + 1).replace(/^[\udc00-\udfff]/, "");
  return `${cutText(text, half)}…${end}`;
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
