import type { EntryDialect } from "./entry-dialect.ts";

/** What is often written where another field is meant, in lower case and without what joins words. */
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

/** The field that was probably meant by an unknown one: it is spelled alike, or often mistaken for it. */
export function meantField(field: string, dialect: EntryDialect): string | undefined {
  const { known, knownInLowerCase } = dialect;
  if (known.has(field)) return undefined;
  const lowered = field.toLowerCase();
  const spelledAlike = knownInLowerCase.get(lowered);
  if (spelledAlike !== undefined) return spelledAlike;
  const words = withoutJoints(lowered);
  return knownWithoutJoints(dialect).get(words) ?? NEAR_MISSES.get(words)?.find((meant) => known.has(meant));
}

/** Worked out for the hosts in whose entries there are unknown fields. */
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

/** `disabledTools` and `disabled_tools` are one name. What begins with such a character was set aside by somebody. */
function withoutJoints(lowered: string): string {
  return lowered.replace(/(?<=[^_-])[_-]+/g, "");
}

/** Whether a key would approve what it stands beside. */
export function isSelfApproval(key: string): boolean {
  return SELF_APPROVALS.has(key);
}
