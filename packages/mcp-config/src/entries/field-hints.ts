import type { EntryDialect } from "./entry-dialect.ts";

/** Names that are often written for another field, in lower case and without the characters that join words. */
const NEAR_MISSES: ReadonlyMap<string, readonly string[]> = new Map([
  ["cmd", ["command"]],
  ["command", ["cmd"]],
  ["arg", ["args"]],
  ["arguments", ["args"]],
  ["env", ["environment", "envs"]],
  ["envs", ["env"]],
  ["environment", ["env", "envs"]],
  ["workingdirectory", ["cwd"]],
  ["urls", ["url"]],
  ["uri", ["url"]],
  ["url", ["uri"]],
  ["baseurl", ["url"]],
  ["httpurl", ["url"]],
  ["serverurl", ["url"]],
  ["header", ["headers", "http_headers"]],
  ["headers", ["http_headers"]],
  ["bearertokenenv", ["bearer_token_env_var"]],
  ["transport", ["type"]],
  ["enable", ["enabled"]],
  ["disable", ["disabled"]],
  ["timeoutms", ["callTimeoutMs"]],
]);

/** Keys by which a configuration would approve itself; approval is never taken from what is to be approved (threat T04). */
const SELF_APPROVALS: ReadonlySet<string> = new Set([
  "trust",
  "autoApprove",
  "alwaysAllow",
  "enableAllProjectMcpServers",
]);

/** The field that an unknown one probably means: it is spelled alike, or often confused with it. */
export function meantField(field: string, dialect: EntryDialect): string | undefined {
  const { known, knownInLowerCase } = dialect;
  if (known.has(field)) return undefined;
  const lowered = field.toLowerCase();
  const spelledAlike = knownInLowerCase.get(lowered);
  if (spelledAlike !== undefined) return spelledAlike;
  const words = withoutJoints(lowered);
  return knownWithoutJoints(dialect).get(words) ?? NEAR_MISSES.get(words)?.find((meant) => known.has(meant));
}

/** Computed only for hosts in whose entries there are unknown fields. */
const WITHOUT_JOINTS = new WeakMap<EntryDialect, ReadonlyMap<string, string>>();

function knownWithoutJoints(dialect: EntryDialect): ReadonlyMap<string, string> {
  let known = WITHOUT_JOINTS.get(dialect);
  if (known === undefined) {
    const fields = [...dialect.knownInLowerCase].reverse();
    known = new Map(fields.map(([lowered, field]) => [withoutJoints(lowered), field]));
    WITHOUT_JOINTS.set(dialect, known);
  }
  return known;
}

/** Removes `_` and `-` between words. A leading one stays: it marks a field that somebody set aside. */
function withoutJoints(lowered: string): string {
  return lowered.replace(/(?<=[^_-])[_-]+/g, "");
}

/** Whether a key would approve the configuration that it is in. */
export function isSelfApproval(key: string): boolean {
  return SELF_APPROVALS.has(key);
}
