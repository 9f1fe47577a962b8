import { createTimeSlices, type TimeSlices } from "@jackfield/mcp-core";
import { fileSystem, isSomebodyElses } from "@jackfield/mcp-core/node";
import type { FollowedFile, HostFile, HostSurroundings } from "../hosts/host-dialect.ts";
import { type JsonPath, jsonPointer } from "../read/json-value.ts";
import { type ConfigProblem, invalidSource, type Report } from "./diagnostics.ts";
import { type ConfigFile, readConfigFile } from "./file.ts";
import { isInside } from "./project-boundary.ts";

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

/**
 * Makes the allowance of a project of which nothing was read yet.
 *
 * @param maxFileBytes - a larger number of bytes, if the caller allows files of that size
 */
function createProjectAllowance(maxFileBytes = 0): ProjectAllowance {
  const mostBytes = Math.max(maxFileBytes, MOST_BYTES);
  let bytesLeft = mostBytes;
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
      const text = `the project ${projectTop} brings more than ${MOST_ENTRIES} servers or ${mostBytes === MOST_BYTES ? "2 MiB" : `${mostBytes} bytes`} of configuration, so ${left} are left out. Read the files of fewer hosts, or remove what nobody uses.`;
      const error = invalidSource({ file }, text);
      return { definedIn: { scope: "project", file }, error, kind: "ConfigTooLargeError" };
    },
  };
}

/** @param most - where counting may stop */
function countMarks(text: string, most: number): number {
  const marks = /[,:\n]/g;
  let count = 0;
  while (count <= most && marks.test(text)) count += 1;
  return count;
}

/** Reads each file once, however many hosts ask for it. */
export interface ReadOnce {
  /** `undefined` for a file of a project that has brought too much already. */
  read(file: string, kind: Pick<HostFile, "scope" | "parts">): ConfigFile | undefined;
  readonly allowance: ProjectAllowance;
  /** A larger file is not read, in bytes, if the caller has said so. */
  readonly maxFileBytes: number | undefined;
  /** The files in which somebody looks for servers, if those that only look like a host's are to be told. */
  readonly ofHosts: ReadonlySet<string> | undefined;
  /** Between the files of a project, other work of the process runs. */
  readonly slices: TimeSlices;
}

/** Makes a reader that remembers what it has read. */
export function createReadOnce(
  report: Report,
  { maxFileBytes, ofHosts }: Partial<Pick<ReadOnce, "maxFileBytes" | "ofHosts">>,
): ReadOnce {
  const known = new Map<string, ConfigFile | undefined>();
  const allowance = createProjectAllowance(maxFileBytes);
  const readOfProject = (file: string): ConfigFile | undefined => {
    const left = allowance.bytesLeft();
    const found = readConfigFile(file, report, { maxFileBytes: Math.min(left, maxFileBytes ?? left) });
    const isRead = "text" in found;
    if (isRead ? allowance.take(found.text, found.stats.size) : found.kind !== "ConfigTooLargeError")
      return found;
    allowance.leaveOut(file);
    return undefined;
  };
  return {
    allowance,
    maxFileBytes,
    ofHosts,
    slices: createTimeSlices(),
    read(file, { scope, parts }) {
      if (known.has(file)) return known.get(file);
      const reading =
        scope === "project" ? readOfProject(file) : readConfigFile(file, report, { maxFileBytes, parts });
      known.set(file, reading);
      return reading;
    },
  };
}

/** Why a readable file must not be trusted. */
export function refusalOf(
  path: Omit<FollowedFile, "kind" | "host">,
  { realFile, stats }: Extract<ConfigFile, { text: string }>,
  { projectTop }: HostSurroundings,
): string | undefined {
  if (leadsOut(path, realFile)) return OUTSIDE;
  if (path.scope === "project") {
    // A repository can bring a harmless-looking link that leads elsewhere (threat T08).
    const isEscape =
      realFile !== undefined && !isInside(realFile, fileSystem.realpathSync.native(projectTop));
    return isEscape
      ? "it is a link to a file outside the project; put the file itself into the project."
      : undefined;
  }
  // Another user who can write the file could have servers started in this user's name (threat T09). A group may write it, because
  // it is often the user's own.
  if (process.platform === "win32") return undefined;
  if (stats.uid !== 0 && isSomebodyElses(stats))
    return "it belongs to another user; make yourself its owner.";
  return (stats.mode & 0o002) !== 0 ? "every user can write to it; run chmod o-w on it." : undefined;
}

/** What is said of a file that an extension names, and that is outside of it. */
export const OUTSIDE = "it is outside the extension that names it; put the file into the extension's folder.";

/** An extension could otherwise present somebody else's file as its own. */
export function leadsOut(
  { file, root, isNamed }: Pick<FollowedFile, "file" | "root" | "isNamed">,
  realFile?: string,
): boolean {
  if (!isNamed || root === undefined) return false;
  return realFile === undefined
    ? !isInside(file, root)
    : !isInside(realFile, fileSystem.realpathSync.native(root));
}
