import { isMcpError } from "@jackfield/mcp-core";
import type { ModelSettings } from "./agent-framework.ts";

/** An error of a framework as one that names the model's host and what to check. Errors of the runtime stay as they are. */
export function modelError(error: unknown, { baseUrl }: ModelSettings): unknown {
  if (isMcpError(error)) return error;
  const reason = (error instanceof Error ? error.message : String(error)).trim().replace(/\.$/, "");
  const { host } = new URL(baseUrl);
  return new Error(`The model at ${host} did not answer: ${reason}. Check OPENAI_BASE_URL.`, {
    cause: error,
  });
}
