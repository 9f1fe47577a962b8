import { McpError } from "@jackfield/mcp-core";
import { writtenValue } from "../written-value.ts";

/**
 * How the exposed name of a tool is built. All but `tool` include the server's name:
 *
 * - `mcp__server__tool`: unsafe characters replaced by `_`; runs of `_` in the server's part as one, none at its ends (Claude Code).
 * - `mcp__server_tool`: lower case, runs of unsafe characters as one `_`; a tool that begins with its server's name does not repeat it:
 *   `puppeteer/puppeteer_screenshot` is `mcp__puppeteer_screenshot` (oh-my-pi).
 * - `mcp_server_tool`: unsafe characters replaced by `_` (SideCar).
 * - `mcp_server__tool`: unsafe characters replaced by `_`, no `_` or `-` at the ends of a part (OpenAI Agents SDK).
 * - `tool`: the tool's name alone (hexos). While several servers offer it, each of these tools is called `mcp__server__tool`.
 */
export type NamingStrategy =
  | "mcp__server__tool"
  | "mcp__server_tool"
  | "mcp_server_tool"
  | "mcp_server__tool"
  | "tool";

/**
 * A custom naming function, called with the original names. It must be pure. Unsafe characters in its result are replaced. If the
 * result is unusable (empty, over 64 characters, reserved, given to two tools) or the function throws, the tool is called
 * `mcp__server__tool`.
 */
export type NameTool = (tool: { readonly server: string; readonly tool: string }) => string;

/** How tools are named. */
export interface NamingOptions {
  /** Default `mcp__server__tool`. */
  readonly strategy?: NamingStrategy | NameTool | undefined;
  /** Names the host uses for other tools; no tool gets one of them. */
  readonly reserved?: readonly string[] | undefined;
}

/** The naming of earlier runtimes, for programs that migrate from them. How a clashing name is made unique is our own. */
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
 * Validates the options: a misspelt pattern must not silently rename every tool.
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
