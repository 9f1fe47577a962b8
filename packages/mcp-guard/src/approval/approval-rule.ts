import { isRecord, McpError, type ToolAnnotations, type ToolDescriptor } from "@jackfield/mcp-core";
import { jsonText } from "../known-block.ts";

/**
 * When a call has to be approved:
 *
 * - `always` or `true`, `never` or `false`;
 * - `annotations`: every call, except of tools annotated as read-only, or as neither destructive nor open-world. Annotations
 *   are the server's own claims and are not verified;
 * - a map from original tool names to `always`, `never`, `true` or `false`; tools it does not name need approval;
 * - `{ always: { toolNames }, never: { toolNames } }`; tools it does not name need approval;
 * - a function, called for each call, that must return `true` or `false`.
 *
 * The grammar is that of openai-agents.
 */
export type ApprovalRule =
  | boolean
  | "always"
  | "never"
  | "annotations"
  | ApprovalMap
  | ApprovalLists
  | ApprovalQuestion;

/** Rules for individual servers, by server name. */
export interface RulesByServer {
  readonly servers: Readonly<Record<string, ApprovalRule>>;
  /** The rule for all other servers. Default `always`. */
  readonly others?: ApprovalRule | undefined;
}

/** Settings by original tool name. */
export interface ApprovalMap {
  readonly [tool: string]: boolean | "always" | "never";
}

/** Lists of original tool names; tools in neither list need approval. */
export interface ApprovalLists {
  readonly always?: { readonly toolNames: readonly string[] } | undefined;
  readonly never?: { readonly toolNames: readonly string[] } | undefined;
}

/** Whether this call has to be approved. */
export type ApprovalQuestion = (call: {
  readonly tool: ToolDescriptor;
  readonly args: Readonly<Record<string, unknown>>;
}) => boolean | Promise<boolean>;

/** A validated rule: it decides by the tool alone, or gives a function to ask for each call. */
export type ParsedApprovalRule = (tool: ToolDescriptor) => boolean | ApprovalQuestion;

/**
 * Validates a rule once, up front. A malformed rule is an error, never read as "no approval".
 *
 * @throws McpError `MCP_CONFIG_INVALID` naming what is wrong.
 */
export function parseApprovalRule(rule: unknown): ParsedApprovalRule {
  if (rule === "annotations") return (tool) => !isHarmless(tool.definition.annotations);
  if (typeof rule === "function") return () => rule as ApprovalQuestion;
  if (typeof rule === "boolean" || typeof rule === "string") {
    const needed = parseSetting(rule, "the rule");
    return () => needed;
  }
  if (!isRecord(rule)) throw invalid(`${describe(rule)} is not a rule`);
  return isLists(rule) ? parseLists(rule) : parseMap(rule);
}

/** The same for rules that differ between servers. */
export function parseApprovalRules(rules: ApprovalRule | RulesByServer): ParsedApprovalRule {
  if (!isByServer(rules)) return parseApprovalRule(rules);
  const { servers, others = "always", ...unknown } = rules;
  for (const key of Object.keys(unknown))
    throw invalid(`beside "servers" there can be only "others", not ${describe(key)}`);
  const general = parseApprovalRule(others);
  const own = new Map(Object.entries(servers).map(([server, rule]) => [server, parseApprovalRule(rule)]));
  return (tool) => (own.get(tool.server) ?? general)(tool);
}

/** A map of tools may have a tool called "servers", but no object as its setting. */
function isByServer(rules: unknown): rules is RulesByServer {
  return isRecord(rules) && isRecord(rules.servers);
}

function isHarmless({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations = {}): boolean {
  return readOnlyHint === true || (destructiveHint === false && openWorldHint === false);
}

function parseSetting(setting: unknown, where: string): boolean {
  if (setting === true || setting === "always") return true;
  if (setting === false || setting === "never") return false;
  throw invalid(`${where} is ${describe(setting)}; it must be "always", "never", true or false`);
}

/** A tool may be named `always`, so lists are told from a map by their object values. */
function isLists(rule: object): rule is ApprovalLists {
  return Object.values(rule).some((value) => typeof value === "object" && value !== null);
}

function parseLists(rule: ApprovalLists): ParsedApprovalRule {
  const unknown = Object.keys(rule).filter((key) => key !== "always" && key !== "never");
  if (unknown.length > 0)
    throw invalid(`the lists can have only "always" and "never", not ${describe(unknown[0])}`);
  const always = parseNames(rule.always, "always");
  const never = parseNames(rule.never, "never");
  const both = [...always].find((name) => never.has(name));
  if (both !== undefined) throw invalid(`tool ${describe(both)} is in both lists`);
  return (tool) => !never.has(tool.originalName);
}

function parseNames(list: unknown, where: string): ReadonlySet<string> {
  if (list === undefined) return new Set();
  const names = typeof list === "object" && list !== null && "toolNames" in list ? list.toolNames : undefined;
  const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
  if (!isList || Object.keys(list as object).length !== 1) {
    throw invalid(`"${where}" must be { toolNames: string[] } and nothing else`);
  }
  return new Set(names as string[]);
}

function parseMap(rule: object): ParsedApprovalRule {
  const settings = new Map(
    Object.entries(rule).map(([tool, setting]) => [tool, parseSetting(setting, `tool ${describe(tool)}`)]),
  );
  return (tool) => settings.get(tool.originalName) ?? true;
}

function describe(value: unknown): string {
  return (jsonText(value) || String(value)).slice(0, 100);
}

function invalid(what: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", `The rule for approving calls is invalid: ${what}.`, {
    phase: "config",
  });
}
