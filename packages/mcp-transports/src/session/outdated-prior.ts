import type { McpError } from "@jackfield/mcp-core";
import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";

/** Statuses for a request that lacks the session of an older protocol. */
const REFUSALS_WITHOUT_SESSION = new Set([400, 404, 405]);

/** Many servers have resources but do not know templates. */
const OPTIONAL_LIST = "resources/templates/list";

/**
 * Whether the first answer of a server shows that it is not, or no longer, of the assumed era. A list that the server
 * announced cannot be refused for another reason; a tool call can.
 */
export function contradictsPrior(method: string, error: McpError): boolean {
  if (error.rpcCode === UNSUPPORTED_PROTOCOL_VERSION || error.code === "MCP_PROTOCOL_VIOLATED") return true;
  if (!method.endsWith("/list") || (method === OPTIONAL_LIST && error.rpcCode === METHOD_NOT_FOUND))
    return false;
  return error.rpcCode !== undefined || REFUSALS_WITHOUT_SESSION.has(error.httpStatus ?? 0);
}
