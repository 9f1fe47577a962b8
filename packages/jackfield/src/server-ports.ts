import type { ServerAdmission } from "@jackfield/mcp-config";
import { createServerResolver } from "@jackfield/mcp-config/runtime";
import type { Connector, ResolveServer } from "@jackfield/mcp-core";
import { withDeadlineAdvice } from "./connect-deadline.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { renewRefusedValues } from "./refused-values.ts";
import type { Secrecy } from "./secrecy.ts";
import { ownStateDirectory } from "./state-directory.ts";

/** The ports by which servers are reached. */
export interface ServerPorts {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
}

/** Makes both ports. The connector tells the resolver what servers refused, and neither shows what was filled in. */
export function createServerPorts(
  { resolve, inheritEnv, missingVariable, projectVariables, inputs, runCommands, cwd, trust }: OpenMcpOptions,
  connect: Connector,
  { isAdmitted }: Pick<ServerAdmission, "isAdmitted">,
  secrecy: Secrecy,
): ServerPorts {
  const own = {
    inheritEnv,
    missingVariable,
    projectVariables,
    inputs,
    runCommands,
    cwd,
    trust,
    launchFolder: ownStateDirectory("launch"),
    isAdmitted,
  };
  const ports = {
    resolve: secrecy.follow(resolve === undefined ? createServerResolver(own) : withLimits(resolve)),
    connect: secrecy.protect(withDeadlineAdvice(connect, process.env)),
  };
  const runsCommands = resolve === undefined && Boolean(runCommands);
  return renewRefusedValues(ports, { runsCommands, log: secrecy.log });
}

/** A custom resolver need not know of limits. They are added here because later steps identify a server by object identity. */
function withLimits(resolve: ResolveServer): ResolveServer {
  return async (definition, options) => {
    const server = await resolve(definition, options);
    const { limits = server.limits } = definition;
    return { ...server, limits };
  };
}
