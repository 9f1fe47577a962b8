import type { CallMiddleware, ToolCallResult } from "@jackfield/mcp-core";
import { cleanJson } from "./clean-text.ts";

/**
 * Takes terminal sequences and hidden characters out of the results that a model reads, and which a program then may print:
 * what nobody sees on a screen should not speak to the model. A program's own calls get what the server sent.
 */
export function cleanResults(): CallMiddleware {
  return async ({ options }, next) => {
    const result = await next();
    return options.audience === "model" ? cleanResult(result) : result;
  };
}

/**
 * A result as it may be shown on a terminal: every text in it cleaned (`cleanText`), structured content, addresses and names
 * included. The same object if there was nothing to clean. Show it, and keep the result itself for whatever computes with it.
 */
export function cleanResult(result: ToolCallResult): ToolCallResult {
  return cleanJson(result);
}
