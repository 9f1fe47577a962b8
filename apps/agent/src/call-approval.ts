import { type CallMiddleware, McpError, type ToolCall, toolDigest } from "@jackfield/mcp-core";
import { wrapLines } from "./screen.ts";
import type { Terminal } from "./terminal.ts";
import { withCodes } from "./terminal-style.ts";

const LONGEST_ARGUMENTS = 400;
const USUAL_COLUMNS = 80;

/**
 * Asks the person before a model's call is made, unless the framework has asked already or the server declares its tool read-only.
 * `a` allows the tool, as it is now, until the program ends. Nothing but `y` and `a` is a yes.
 *
 * The hint is only the server's claim; it is enough here because the demo servers are pinned, and a server from `--config` is one
 * the person named.
 */
export function askBeforeCalls(terminal: Terminal): CallMiddleware {
  const allowed = new Set<string>();
  return async (call, next) => {
    if (!mustAsk(call) || allowed.has(toolDigest(call.tool))) return next();
    const signal = call.options.signal ?? new AbortController().signal;
    const answer = (await terminal.ask(questionFor(call, terminal.columns), { signal }))
      ?.trim()
      .toLowerCase();
    if (answer === "a") allowed.add(toolDigest(call.tool));
    if (answer === "a" || answer === "y") return next();
    throw new McpError("MCP_CALL_DENIED", `The call of ${call.tool.name} was not approved.`, {
      server: call.tool.server,
      tool: call.tool.originalName,
      phase: "call",
      outcome: "not-sent",
    });
  };
}

function mustAsk({ tool, options }: Readonly<ToolCall>): boolean {
  if (options.audience !== "model" || options.approved === toolDigest(tool)) return false;
  return tool.requiresApproval || tool.definition.annotations?.readOnlyHint !== true;
}

/** The arguments, indented on lines of their own so that they cannot pass for another question, and then the question. */
function questionFor({ tool, args }: Readonly<ToolCall>, columns: number): string {
  const written = JSON.stringify(args);
  const shown =
    written.length <= LONGEST_ARGUMENTS
      ? written
      : `${written.slice(0, LONGEST_ARGUMENTS)}… (cut, of ${written.length} characters)`;
  const width = Number.isFinite(columns) ? columns - 1 : USUAL_COLUMNS;
  const name = withCodes(tool.name);
  const lines = wrapLines(withCodes(shown), width, "  | ");
  return [`The model wants to call ${name} with`, ...lines, `Call ${name}? [y]es, [n]o, [a]lways: `].join(
    "\n",
  );
}
