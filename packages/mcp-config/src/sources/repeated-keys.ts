import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { DuplicateKey } from "../documents/config-document.ts";
import { MOST_REPORTED_KEYS } from "../documents/document-limits.ts";
import { fieldName, isWithin, type JsonPath, shownKey } from "../documents/json-path.ts";
import type { ServerSection } from "../hosts/host-dialect.ts";
import { holdsValue, quote, quoteName } from "../server-name.ts";
import { describeLocation, describePlaces } from "./config-problem.ts";
import type { ParsedHostText } from "./host-document.ts";

/** The repeated keys of a section of servers. */
export interface Repetitions {
  /** That of the section's own key. */
  readonly own: DuplicateKey | undefined;
  /** The first one in an entry: a person could read one value while the program uses the other (threat T11). */
  firstIn(entry: JsonPath): DuplicateKey | undefined;
}

/** Goes over the repeated keys once; a section may have as many entries as a file has repeated keys. */
export function repetitionsIn(duplicates: readonly DuplicateKey[], section: JsonPath): Repetitions {
  let own: DuplicateKey | undefined;
  let first: DuplicateKey | undefined;
  const firsts = new Map<string | number, DuplicateKey>();
  for (const duplicate of duplicates) {
    const { path } = duplicate;
    if (!isWithin(path, section)) continue;
    first ??= duplicate;
    const entry = path[section.length];
    if (entry === undefined) own ??= duplicate;
    else if (!firsts.has(entry)) firsts.set(entry, duplicate);
  }
  return {
    own,
    firstIn(path) {
      const entry = path[section.length];
      return entry === undefined ? first : firsts.get(entry);
    },
  };
}

/** Reports the first 100 repeated keys of a file one by one, and how many others there are. */
export function reportRepetitions(
  { document, dialect, file }: ParsedHostText,
  sections: readonly ServerSection[],
  report: Report,
): void {
  const { strict } = dialect.entry;
  const effect = strict ? "" : "; the last one counts";
  const placed = document.duplicates.slice(0, MOST_REPORTED_KEYS);
  for (const duplicate of placed) {
    const { server, depth } = ownerOf(duplicate, sections);
    const message = `${describeLocation(duplicate.again)}: ${describeRepetition(duplicate, depth)}${effect}.`;
    const isLost = strict && server !== undefined;
    const shown = server === undefined ? undefined : shownKey(server);
    const details = { severity: isLost ? "error" : "warning", server: shown } as const;
    const isNamed = duplicate.path.length > depth && holdsValue(String(duplicate.path.at(-1)));
    const { pointer } = duplicate.again;
    const place = isNamed
      ? { ...duplicate.again, pointer: pointer?.replace(/\/[^/]*$/, "") }
      : duplicate.again;
    report(diagnose("duplicate-key", message, place, details));
  }
  const others = document.duplicates.slice(MOST_REPORTED_KEYS);
  if (others.length === 0) return;
  const isAnyLost = strict && others.some((duplicate) => ownerOf(duplicate, sections).server !== undefined);
  const message = `${file}: keys are written again in ${describePlaces(others.length)}${effect}.`;
  report(diagnose("duplicate-key", message, { file }, { severity: isAnyLost ? "error" : "warning" }));
}

/** The server that a key belongs to, and the length of its path. */
function ownerOf({ path }: DuplicateKey, sections: readonly ServerSection[]) {
  const section = sections.find((candidate) => isWithin(path, candidate.path));
  const depth = (section?.path.length ?? 0) + 1;
  return { server: section && (section.name ?? path[depth - 1]), depth };
}

/** @param depth - the length of an entry's path, so that a field is named from its entry on */
export function describeRepetition({ path, first, again }: DuplicateKey, depth: number): string {
  const named =
    path.length > depth ? quoteName(fieldName(path.slice(depth))) : quote(fieldName(path.slice(-1)));
  const here = again.line === first.line ? `, column ${first.column}` : "";
  return `${named} is written more than once, first on line ${first.line}${here}`;
}
