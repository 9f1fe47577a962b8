import type { ResolveServer } from "@jackfield/mcp-core";
import type { Secrecy } from "./secrecy.ts";

/** The same resolver; the `secrets` of what it resolves are hidden wherever something is shown. */
export function withRecordedSecrets(
  resolve: ResolveServer,
  { recordSecrets }: Pick<Secrecy, "recordSecrets">,
): ResolveServer {
  return async (definition, options) => {
    const server = await resolve(definition, options);
    recordSecrets(definition.name, server.secrets, options.principal);
    return server;
  };
}
