import type { ToolDescriptor } from "@jackfield/mcp-core";

/** A tool that a server has, whether or not it is on offer. */
export interface KnownTool {
  readonly server: string;
  readonly originalName: string;
  /** The exposed name, if it has one. */
  readonly name: string | undefined;
  /** Missing if a filter or a policy keeps it back. */
  readonly offered: ToolDescriptor | undefined;
}

/** Prefixes that frameworks and models put before a tool's name, as in `functions.mcp__docs__search` or `default_api:search`. */
const FRAMEWORK_PREFIX = /^(?:functions?|tools?|default_api|namespace)[.:/]+/i;
/** The number of the call, which some models append. */
const CALL_NUMBER = /:\d+$/;
const HASH_SUFFIX = /_[0-9a-f]{8}$/;
const HASH_LENGTH = 8;
/** A shorter name was not truncated by a model: a longer one that begins with it is another tool. */
const LEAST_TRUNCATED_LENGTH = 48;

/**
 * The tool that a model must have meant by an unknown name. Tolerates another case, `.` `-` `_` `/` `:` exchanged or repeated, a
 * missing server name or `mcp`, a framework's prefix, a lost hash, and a long name cut off ([L32]).
 *
 * @returns `undefined` unless exactly one tool fits. Tools that are kept back fit as well, so that a call of one never becomes a call
 * of a similar tool; they are never returned.
 */
export function repairedTool(asked: string, tools: Iterable<KnownTool>): ToolDescriptor | undefined {
  const readings = readingsOf(asked);
  let meant: KnownTool | undefined;
  for (const tool of tools) {
    if (!fits(tool, readings)) continue;
    if (meant !== undefined) return undefined;
    meant = tool;
  }
  return meant?.offered;
}

/** The possible readings of a name, in the form in which names are compared. */
function readingsOf(asked: string): ReadonlySet<string> {
  const bare = asked.trim().replace(FRAMEWORK_PREFIX, "").replace(CALL_NUMBER, "");
  const readings = [asked, bare].map(comparable);
  return new Set([...readings, ...readings.map(withoutMcp)].filter((reading) => reading !== ""));
}

function fits({ server, originalName, name = "" }: KnownTool, readings: ReadonlySet<string>): boolean {
  const tool = comparable(originalName);
  const full = `${comparable(server)}_${tool}`;
  const exposed = comparable(name);
  if ([tool, full, exposed, exposed.replace(HASH_SUFFIX, "")].some((form) => readings.has(form))) return true;
  for (const reading of readings) {
    if (HASH_SUFFIX.test(exposed) && isPartOfHash(reading, exposed)) return true;
    if (reading.length < LEAST_TRUNCATED_LENGTH) continue;
    if (full.startsWith(reading) || exposed.startsWith(reading)) return true;
  }
  return false;
}

/** Whether a reading is the name without the end of its hash. */
function isPartOfHash(reading: string, exposed: string): boolean {
  return exposed.startsWith(reading) && reading.length > exposed.length - HASH_LENGTH;
}

function withoutMcp(reading: string): string {
  return reading.replace(/^mcp_/, "");
}

/** The source of a pattern that is seldom needed: its set of characters takes long to build. */
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}]+`;

/** Letters and digits in lower case, with one `_` for whatever stands between them. */
function comparable(name: string): string {
  return name.toLowerCase().replace(new RegExp(BETWEEN_WORDS, "gu"), "_").replace(/^_|_$/g, "");
}

/** The least likeness of a suggested name, from 0 to 1. */
const LEAST_LIKENESS = 0.4;

/** The names most like the one asked for, at most three, best first. */
export function nearestNames(
  asked: string,
  tools: readonly ToolDescriptor[],
  labelOf: (tool: ToolDescriptor) => string,
): readonly string[] {
  const wanted = pairsOf(comparable(asked.slice(0, 128)));
  return tools
    .map((tool) => ({
      label: labelOf(tool),
      likeness: Math.max(...namesOf(tool).map((name) => likeness(wanted, name))),
    }))
    .filter((candidate) => candidate.likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || (a.label < b.label ? -1 : 1))
    .slice(0, 3)
    .map(({ label }) => label);
}

function namesOf({ name, originalName }: ToolDescriptor): readonly string[] {
  return [comparable(name), comparable(originalName.slice(0, 128))];
}

/** The share of neighbouring characters that two names have in common (Dice's coefficient). */
function likeness(wanted: ReadonlySet<string>, name: string): number {
  const pairs = pairsOf(name);
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared += 1;
  return (2 * shared) / Math.max(1, wanted.size + pairs.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at < text.length - 1; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}
