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
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }));
}

/** Formats the changes as lines for a person; `text` makes a server's text safe to show. */
export function formatChanges(changes: readonly ToolChange[], text: (value: string) => string): string {
  const side = (sign: string, value: string | undefined) =>
    value === undefined
      ? []
      : text(value)
          .split("\n")
          .map((line) => `  ${sign} ${line}`);
  return changes
    .flatMap(({ path, before, after }) => [text(path), ...side("-", before), ...side("+", after)])
    .join("\n");
}

const MAX_DEPTH = 64;

/** Every value that has no parts, by its JSON pointer. */
function leavesOf(tool: PinnedTool): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    const isBranch = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (!isBranch || depth >= MAX_DEPTH) {
      leaves.set(path, typeof value === "string" ? value : JSON.stringify(value));
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
