import { type JsonPath, jsonPointer } from "../documents/json-path.ts";
import { type ConfigProblem, invalidSource } from "../sources/config-problem.ts";

/** More than any project that was seen needs; somebody who clones a repository has to read each of them. */
const MOST_ENTRIES = 200;
const MOST_BYTES = 2 * 1024 * 1024;
/**
 * More commas, colons and lines than this in all files are more values than 200 entries have. They are counted before anything is parsed:
 * what takes long to parse is not bytes but values.
 */
const MOST_MARKS = 20_000;
/** More names than this in a folder in which files are looked for by pattern: the folder is left out. */
export const MOST_NAMES_OF_PROJECT = 2_000;

/**
 * What one project may bring, all its files for all hosts together: 200 entries and 2 MiB. Files are asked for in a fixed order: host by
 * host in the order in which the hosts were named, within a host the nearest folder first. A file that no longer fits is left out whole;
 * smaller ones after it are still read. Entries are taken in the order in which they are written, until there are 200.
 */
export interface ProjectAllowance {
  /** How many bytes the next file may have. */
  bytesLeft(): number;
  /** Counts a file that was read, and says whether it may be parsed. */
  take(text: string, bytes: number): boolean;
  /** Notes a file or a folder that is left out. */
  leaveOut(path: string): void;
  /**
   * How many of the entries of one section of a file may be used. A file that several hosts read counts once.
   *
   * @param count - how many there are
   */
  entries(file: string, section: JsonPath, count: number): number;
  /** What is told if anything was left out. */
  problem(projectTop: string): ConfigProblem | undefined;
}

/** Makes the allowance of a project of which nothing was read yet. */
export function createProjectAllowance(): ProjectAllowance {
  let bytesLeft = MOST_BYTES;
  let marksLeft = MOST_MARKS;
  let entriesLeft = MOST_ENTRIES;
  let unusedEntries = 0;
  let unusedIn: string | undefined;
  const unreadPaths: string[] = [];
  const sections = new Map<string, number>();
  return {
    bytesLeft: () => bytesLeft,
    take(text, bytes) {
      const marks = countMarks(text, marksLeft);
      if (marks > marksLeft) return false;
      marksLeft -= marks;
      bytesLeft -= bytes;
      return true;
    },
    leaveOut: (path) => void unreadPaths.push(path),
    entries(file, section, count) {
      const key = `${file}#${jsonPointer(section)}`;
      const known = sections.get(key);
      if (known !== undefined) return known;
      const used = Math.min(count, entriesLeft);
      sections.set(key, used);
      entriesLeft -= used;
      if (used < count) {
        unusedEntries += count - used;
        unusedIn ??= file;
      }
      return used;
    },
    problem(projectTop) {
      const file = unreadPaths[0] ?? unusedIn;
      if (file === undefined) return undefined;
      const places = unreadPaths.length === 1 ? "1 file or folder" : `${unreadPaths.length} files or folders`;
      const left = [
        ...(unusedEntries === 0 ? [] : [`${unusedEntries} of its servers`]),
        ...(unreadPaths.length === 0 ? [] : [`${places} of it`]),
      ].join(" and ");
      const text = `the project ${projectTop} brings more than ${MOST_ENTRIES} servers or 2 MiB of configuration, so ${left} are left out. Name the files that you need in option "configFiles", or remove what nobody uses.`;
      const error = invalidSource({ file }, text);
      return { definedIn: { scope: "project", file }, error, kind: "ConfigTooLargeError" };
    },
  };
}

const COMMA = 0x2c;
const COLON = 0x3a;
const LINE_END = 0x0a;

/** @param most - where counting may stop */
function countMarks(text: string, most: number): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === COLON || unit === LINE_END) count += 1;
  }
  return count;
}
