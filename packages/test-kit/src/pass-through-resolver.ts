import {
  McpError,
  type ResolvedServer,
  type ResolveServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";

/**
 * Resolves a definition without changing its values: `${NAME}` stays `${NAME}`, nothing is secret, and a child gets exactly the
 * `env` of its definition.
 *
 * @throws McpError `MCP_ABORTED` if the signal has fired
 */
export const passThroughResolver: ResolveServer = async (definition, { signal }) => {
  if (signal.aborted) {
    throw new McpError("MCP_ABORTED", "The caller gave up.", { server: definition.name, phase: "resolve" });
  }
  return resolveUnexpanded(definition);
};

function resolveUnexpanded(definition: ServerDefinition): ResolvedServer {
  const { name, limits } = definition;
  const common = { name, secrets: [], ...(limits ? { limits } : {}) };
  switch (definition.transport) {
    case "stdio": {
      const { transport, command, args = [], env = {}, cwd } = definition;
      return { ...common, transport, command, args, env, ...(cwd === undefined ? {} : { cwd }) };
    }
    case "http":
    case "sse": {
      const { transport, url, headers = {} } = definition;
      return { ...common, transport, url, headers };
    }
    case "in-process":
      return { ...common, transport: definition.transport, server: definition.server };
  }
}
