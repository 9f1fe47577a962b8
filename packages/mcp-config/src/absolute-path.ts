import { type PlatformPath, resolve } from "node:path";
import { McpError } from "@jackfield/mcp-core";

/**
 * A path as it is from the working directory of this process, which is asked for only if the path is relative.
 *
 * @param rules - those of the system whose path it is; by default this one
 * @throws McpError `MCP_CONFIG_INVALID` if it is no path, or is relative and the working directory was removed
 */
export function absolutePath(path: string, rules: Pick<PlatformPath, "resolve"> = { resolve }): string {
  try {
    return rules.resolve(path);
  } catch (cause) {
    const message =
      typeof path === "string"
        ? "The working directory of this process was removed; change to a folder that exists, or name one as an absolute path."
        : `A path is a text, and this is of type ${typeof path}; correct the option.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", cause });
  }
}
