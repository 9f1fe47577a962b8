import { type Connector, isMcpError, type ResolveServer } from "@jackfield/mcp-core";

/**
 * Joins a resolver and a connector so that the first is told when a server refused what it was given (401): a value that can be
 * renewed is then renewed, not offered again.
 */
export function tellOfRefusals(ports: { readonly resolve: ResolveServer; readonly connect: Connector }): {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
} {
  /** Of which servers, each as somebody: what one user's server refuses says nothing of another's. */
  const refused = new Set<string>();
  const key = (server: string, principal: string | undefined) => JSON.stringify([server, principal]);
  return {
    async resolve(definition, options) {
      const rejected = refused.delete(key(definition.name, options.principal)) || options.rejected;
      return ports.resolve(definition, rejected === undefined ? options : { ...options, rejected });
    },
    async connect(server, options) {
      try {
        return await ports.connect(server, options);
      } catch (error) {
        const isRefusal =
          isMcpError(error) && (error.code === "MCP_AUTH_REQUIRED" || error.httpStatus === 401);
        if (isRefusal) refused.add(key(server.name, options.principal));
        throw error;
      }
    },
  };
}
