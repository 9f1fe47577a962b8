import { McpError } from "@jackfield/mcp-core";
import { writtenValue } from "../written-value.ts";

/**
 * How a name is put together. All but `tool` take the server's name in:
 *
 * - `mcp__server__tool`: as it stands, unsafe characters replaced by `_` (Claude Code).
 * - `mcp__server_tool`: lower case, runs of unsafe characters as one `_`, and a tool that begins with its server's name says it
 *   once: `puppeteer/puppeteer_screenshot` is `mcp__puppeteer_screenshot` (oh-my-pi).
 * - `mcp_server_tool`: as it stands, unsafe characters replaced (SideCar).
 * - `mcp_server__tool`: as it stands, unsafe characters replaced, no `_` or `-` at the ends of a part (OpenAI Agents SDK).
 * - `tool`: the tool's name alone (hexos). One that two servers offer gets its `mcp__server__tool` name, for as long as both offer it.
 */
export type NamingStrategy =
  | "mcp__server__tool"
  | "mcp__server_tool"
  | "mcp_server_tool"
  | "mcp_server__tool"
  | "tool";

/**
 * A naming of one's own, given the original names. It must be pure. Unsafe characters of its answer are replaced; a tool for
 * which it gives no usable name of its own (empty, over 64 characters, reserved, given to two tools, or thrown) is called
 * `mcp__server__tool`.
 */
export type NameTool = (tool: { readonly server: string; readonly tool: string }) => string;

/** How tools are named. */
export interface NamingOptions {
  /** Default `mcp__server__tool`. */
  readonly strategy?: NamingStrategy | NameTool | undefined;
  /** Names the host has given to other tools; no tool gets one of them. */
  readonly reserved?: readonly string[] | undefined;
}

/** The patterns of earlier runtimes, for programs that come from one of them. What makes a clashing name unique is our own. */
export const NAMING_PRESETS = {
  "claude-code": { strategy: "mcp__server__tool" },
  "oh-my-pi": { strategy: "mcp__server_tool" },
  "openai-agents": { strategy: "mcp_server__tool" },
  sidecar: { strategy: "mcp_server_tool" },
  hexos: { strategy: "tool" },
} as const satisfies { readonly [runtime: string]: NamingOptions };

const STRATEGIES: ReadonlySet<unknown> = new Set<NamingStrategy>([
  "mcp__server__tool",
  "mcp__server_tool",
  "mcp_server_tool",
  "mcp_server__tool",
  "tool",
]);

/**
 * Makes sure that the options can be right: a misspelt pattern must not silently rename every tool.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkNaming({ strategy = "mcp__server__tool", reserved = [] }: NamingOptions): void {
  if (typeof strategy !== "function" && !STRATEGIES.has(strategy)) {
    const known = [...STRATEGIES].map((name) => `"${name}"`).join(", ");
    throw invalid(`"naming.strategy" must be a function or one of ${known}, not ${writtenValue(strategy)}`);
  }
  const isList = Array.isArray(reserved) && reserved.every((name) => typeof name === "string");
  if (!isList) throw invalid(`"naming.reserved" must be a list of names`);
}

function invalid(what: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", `Option ${what}.`, { phase: "config" });
}
