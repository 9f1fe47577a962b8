import { isRecord, type ToolFilter } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import type { FindingContext, HostDocument, ReadLists } from "./host-dialect.ts";

const LIST = "tools";

/**
 * `tools` at the root switches tools off and on by patterns of the names under which they are offered, `<server>_<tool>`, in which
 * `_` replaces all but letters, digits, `_` and `-`. The layers form one map, in which the strongest layer with a pattern decides
 * it; if several patterns match a tool, the longest wins.
 */
export function readToolSwitches(
  documents: readonly HostDocument[],
  _context: FindingContext,
  report: Report,
): ReturnType<ReadLists> {
  const switches = new Map<string, boolean>();
  for (const document of documents) {
    for (const [pattern, isOn] of readSwitches(document, report)) {
      if (!switches.has(pattern)) switches.set(pattern, isOn);
    }
  }
  // Of two equally long patterns, the one with a literal character in place of `*` is stronger.
  const byLength = [...switches].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return ({ name }) => {
    const tools = filterFor(`${name.replace(/[^\w-]/g, "_")}_`, byLength);
    return tools && { tools };
  };
}

/** Filters here have no wildcard for one character: a pattern with `?` switches off more than it means, and switches nothing on. */
function readSwitches({ content, document }: HostDocument, report: Report): readonly [string, boolean][] {
  const written = content[LIST] ?? {};
  const isFit = (path: readonly string[], isRight: boolean) => {
    const location = document?.locate(path) ?? {};
    const text = `${quote(path.at(-1) ?? "")} cannot be read; write true or false for each pattern (* stands for any characters)`;
    if (!isRight) report(diagnose("invalid-field", `${describeLocation(location)}: ${text}.`, location));
    return isRight;
  };
  const map = isRecord(written) ? written : {};
  isFit([LIST], map === written);
  return Object.keys(map).flatMap((pattern): [string, boolean][] => {
    const isOn = map[pattern];
    const isClear = isFit([LIST, pattern], typeof isOn === "boolean" && !pattern.includes("?"));
    return isOn === false || (isOn === true && isClear) ? [[pattern.replaceAll("?", "*"), isOn]] : [];
  });
}

/**
 * @param beginning - the prefix of the server's tool names
 * @param switches - the weakest first
 */
function filterFor(
  beginning: string,
  switches: readonly (readonly [string, boolean])[],
): ToolFilter | undefined {
  let include: readonly string[] = [];
  let exclude: readonly string[] = [];
  for (const [pattern, isOn] of switches) {
    const rests = behind(beginning, pattern);
    if (rests.includes("*")) [include, exclude] = [[], isOn ? [] : ["*"]];
    else if (isOn) include = [...include, ...rests];
    else exclude = [...exclude, ...rests];
  }
  if (exclude.length === 0) return undefined;
  // Unless everything is off, a tool that is on needs no mention, and it cannot be exempted from a pattern that switches it off.
  return exclude[0] === "*" && include.length > 0 ? { include, exclude: exclude.slice(1) } : { exclude };
}

/** The patterns that are left for text after a beginning: `*_rm` after `a_` leaves `*_rm` and `rm`. */
function behind(beginning: string, pattern: string): readonly string[] {
  let rests = new Set([pattern]);
  for (const character of beginning) {
    const next = new Set<string>();
    for (const rest of rests) {
      const literal = rest.search(/[^*]/);
      if (rest.startsWith("*")) next.add(rest);
      if (literal !== -1 && rest[literal] === character) next.add(rest.slice(literal + 1));
    }
    rests = next;
  }
  return [...rests].filter((rest) => rest !== "");
}
