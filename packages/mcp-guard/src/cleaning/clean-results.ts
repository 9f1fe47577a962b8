import type { CallMiddleware, ToolCallResult } from "@jackfield/mcp-core";
import { cleanJson } from "./clean-text.ts";

/**
 * Removes terminal sequences and hidden characters from results that a model reads and a program may then print: text that no
 * person can see should not reach the model. A program's own calls get what the server sent.
 */
export function cleanResults(): CallMiddleware {
  return async ({ options }, next) => {
    const result = await next();
    return options.audience === "model" ? cleanResult(result) : result;
  };
}

/**
 * Cleans every string of a result (`cleanText`) for display on a terminal, including structured content, URIs and names.
 * Returns the same object if there was nothing to clean. For display only: compute with the original result.
 */
export function cleanResult(result: ToolCallResult): ToolCallResult {
  return cleanJson(result);
}
