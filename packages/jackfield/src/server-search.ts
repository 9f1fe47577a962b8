import type { DiscoveredServers, FoundServers, ServerAdmission } from "@jackfield/mcp-config";
import {
  createServerAdmission,
  createServerResolver,
  exaApiKey,
  findServers,
  isExaServer,
} from "@jackfield/mcp-config/runtime";
import type { Connector, Logger, ResolveServer, ServerDefinition } from "@jackfield/mcp-core";
import { createApprovalDesk } from "./approval-desk.ts";
import { openApprovals } from "./approval-store.ts";
import { type AdvisedServers, adviseApproval } from "./blocked-servers.ts";
import type { ReadConfiguration } from "./configuration.ts";
import { readConnectDeadline, withConnectDeadline } from "./connect-deadline.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";
import { tellOfRefusals } from "./refused-values.ts";
import type { Secrecy } from "./secrecy.ts";

/** Finds servers, and decides which of them are used. */
export interface ServerSearch extends Pick<ServerAdmission, "isAdmitted"> {
  /** Reads files and code, and merges what may be used. It does not reject. */
  read(): Promise<ReadConfiguration>;
  /** The same without reading anything again. */
  merge(found: FoundServers): Promise<AdvisedServers>;
  /** Warns of what waits for approval, unless that was said before, and has somebody asked about it. */
  follow(merged: AdvisedServers, granted: () => void): void;
}

export function createServerSearch(options: OpenMcpOptions, log: Logger, signal: AbortSignal): ServerSearch {
  const { servers, configFiles: files, cwd, discover, approve, approvals, trust, filters } = options;
  const desk = createApprovalDesk({ ledger: openApprovals(approvals, log), approve, log, signal });
  const admission = createServerAdmission({ ledger: desk, trust, filters });
  const places = discover === false ? { hosts: [] } : { cwd, ...discover };
  const deadlineMs = readConnectDeadline(process.env, log);
  const merge = async (found: FoundServers) => {
    const merged = adviseApproval(await found.merge(admission.admit), places);
    return { ...merged, servers: withConnectDeadline(merged.servers, deadlineMs) };
  };
  let warned: string | undefined;
  return {
    isAdmitted: admission.isAdmitted,
    async read() {
      const found = await findServers({ ...places, base: cwd ?? ".", servers, files });
      return { found, merged: await merge(found) };
    },
    merge,
    follow({ blocked, approvalWarning: warning }, granted) {
      if (warning !== undefined && warning.message !== warned) log("warn", warning.message);
      warned = warning?.message;
      const waiting = blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
      desk.ask(waiting, granted);
    },
  };
}

/** The ports by which servers are reached. */
export interface ServerPorts {
  readonly resolve: ResolveServer;
  readonly connect: Connector;
}

/** Makes both: they tell each other what was refused, and show nobody what was filled in. */
export function createServerPorts(
  { resolve, inheritEnv, ...options }: OpenMcpOptions,
  connect: Connector,
  { isAdmitted }: Pick<ServerAdmission, "isAdmitted">,
  secrecy: Secrecy,
): ServerPorts {
  const { missingVariable, projectVariables, inputs, runCommands, cwd } = options;
  const onSecrets = (server: string, values: readonly string[]) => secrecy.learn(server, values);
  const own = {
    inheritEnv,
    missingVariable,
    projectVariables,
    inputs,
    runCommands,
    cwd,
    isAdmitted,
    onSecrets,
  };
  const ports = {
    resolve: resolve === undefined ? createServerResolver(own) : learning(resolve, secrecy),
    connect: secrecy.protect(connect),
  };
  const runsCommands = resolve === undefined && Boolean(runCommands);
  return tellOfRefusals(ports, { runsCommands, log: secrecy.log });
}

/** What a resolver of the caller's says is secret is hidden as well. */
function learning(resolve: ResolveServer, { learn }: Pick<Secrecy, "learn">): ResolveServer {
  return async (definition, options) => {
    const server = await resolve(definition, options);
    learn(definition.name, server.secrets, options.principal);
    return server;
  };
}

/** Hands the host the API key of each server of Exa, once for each key. What cannot be resolved has none. */
export function createExaKeyFinder(
  { filters }: OpenMcpOptions,
  resolve: ResolveServer,
  log: Logger,
  signal: AbortSignal,
): (merged: DiscoveredServers) => void {
  const told = new Set<string>();
  const tell = filters?.exaApiKey;
  const find = async (definition: ServerDefinition) => {
    const key = exaApiKey(await resolve(definition, { signal }));
    if (key === undefined || told.has(key)) return;
    told.add(key);
    try {
      await tell?.(key, definition.name);
    } catch (error) {
      log("warn", `"filters.exaApiKey" failed`, { server: definition.name, error: String(error) });
    }
  };
  return ({ servers, blocked }) => {
    if (tell === undefined) return;
    const filtered = blocked.filter(({ by }) => by === "exa").map(({ definition }) => definition);
    for (const definition of [...servers, ...filtered].filter(isExaServer)) {
      find(definition).catch((error: unknown) => {
        if (!signal.aborted)
          log("warn", "no API key of Exa was found", { server: definition.name, error: String(error) });
      });
    }
  };
}
