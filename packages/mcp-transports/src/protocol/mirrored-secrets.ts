import { type Logger, namesCredential, type ToolDefinition } from "@jackfield/mcp-core";
import { markedParameters } from "./mirrored-headers.ts";

/**
 * Warns of tools that make the client repeat in a header what looks like a secret. Proxies between client and server read and
 * log headers, so servers SHOULD NOT mark such parameters (MCP 2026-07-28, tools). The call is made all the same: the argument
 * would reach the server anyway. Each tool is named once; values are never inspected.
 */
export function createMirroredSecretWarning({
  server,
  log,
}: {
  readonly server: string;
  readonly log: Logger;
}): (tool: ToolDefinition) => void {
  const known = new Set<string>();
  return (tool) => {
    if (known.has(tool.name)) return;
    known.add(tool.name);
    const parameters = findMirroredSecrets(tool);
    if (parameters.length === 0) return;
    log(
      "warn",
      "Parameters of a tool that look like secrets are also sent as headers, which others may read.",
      {
        server,
        tool: tool.name,
        parameters: parameters.join(", "),
      },
    );
  };
}

/** The marked parameters of a tool whose name, or whose header's name, looks like a secret, as paths. Pure. */
export function findMirroredSecrets(tool: ToolDefinition): string[] {
  return markedParameters(tool).flatMap(({ path, header }) =>
    isTelling(path.split(".").at(-1) ?? "") || isTelling(header) ? [path] : [],
  );
}

/** In a schema, a mere `key` names a record. */
function isTelling(name: string): boolean {
  return namesCredential(name) && !/^key$/i.test(name);
}
