/** Every field of an entry that Jackfield reads, for some transport or other. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "headers",
  "server",
  "enabled",
  "disabled",
  "lazy",
  "tools",
  "timeout",
  "connectTimeoutMs",
  "callTimeoutMs",
  "maxTotalMs",
  "maxMessageBytes",
  "trustAnnotations",
]);

const KNOWN_IN_LOWER_CASE = new Map([...KNOWN_FIELDS].map((field) => [field.toLowerCase(), field]));

/** What is often written where another field is meant, in lower case. */
const NEAR_MISSES: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["arg", "args"],
  ["arguments", "args"],
  ["envs", "env"],
  ["environment", "env"],
  ["env_file", "envFile"],
  ["workingdirectory", "cwd"],
  ["urls", "url"],
  ["uri", "url"],
  ["baseurl", "url"],
  ["httpurl", "url"],
  ["serverurl", "url"],
  ["header", "headers"],
  ["transport", "type"],
  ["enable", "enabled"],
  ["disable", "disabled"],
  ["timeoutms", "callTimeoutMs"],
]);

/** Keys by which a configuration would approve itself; approval is never taken from what is to be approved (threat T04). */
const SELF_APPROVALS: ReadonlySet<string> = new Set([
  "trust",
  "autoApprove",
  "alwaysAllow",
  "enableAllProjectMcpServers",
]);

/** Other programs' keys for the servers, and misspellings of ours. */
const WRONG_ROOT_KEYS: ReadonlySet<string> = new Set([
  "servers",
  "mcpservers",
  "mcpserver",
  "mcp_servers",
  "mcp-servers",
  "context_servers",
]);

/** The key of a file under which its servers stand. Exactly so: `mcpservers` is another key (threat T11). */
export const ROOT_KEY = "mcpServers";

export function isKnownField(field: string): boolean {
  return KNOWN_FIELDS.has(field);
}

/** The field that was probably meant by an unknown one. */
export function meantField(field: string): string | undefined {
  if (KNOWN_FIELDS.has(field)) return undefined;
  const lowered = field.toLowerCase();
  return NEAR_MISSES.get(lowered) ?? KNOWN_IN_LOWER_CASE.get(lowered);
}

export function isSelfApproval(key: string): boolean {
  return SELF_APPROVALS.has(key);
}

/** Whether a key of a file's root was probably meant to be `mcpServers`. */
export function isWrongRootKey(key: string): boolean {
  return key !== ROOT_KEY && WRONG_ROOT_KEYS.has(key.toLowerCase());
}
