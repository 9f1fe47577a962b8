import type { BlockedServer, ConfigProblem, DiscoveredServers, FoundServers } from "@jackfield/mcp-config";
import { type Diagnostic, McpError, type ServerDefinition, type ServerSnapshot } from "@jackfield/mcp-core";
import type { McpManager } from "@jackfield/mcp-manager";
import { type AdvisedServers, isAwaitingTrust, reasonOf } from "./blocked-servers.ts";
import type { McpReloadReport } from "./mcp.ts";

/** What was read, and what of it may be used. */
export interface ReadConfiguration {
  readonly found: FoundServers;
  readonly merged: AdvisedServers;
}

/** An entry that cannot be used, or not yet, as it is listed among the servers. */
export interface BrokenEntry {
  readonly name: string;
  readonly error: McpError;
  readonly snapshot: ServerSnapshot;
}

/** What is configured, and how to read it again. */
export interface Configuration {
  /** What was read last and could be used. */
  readonly merged: AdvisedServers;
  /** Entries with a mistake, as of the last reading. */
  broken(): readonly BrokenEntry[];
  /** Servers that wait for somebody to trust them, as of the last reading, save where another one has the name. */
  waiting(): readonly BrokenEntry[];
  /** Reads again and hands what was found to the manager. */
  reload(manager: Pick<McpManager, "reload">): Promise<McpReloadReport>;
  /** Decides again on what was read last, and hands that to the manager. No file is read, so what was shown is what is used. */
  reconsider(manager: Pick<McpManager, "reload">): Promise<void>;
}

export interface ConfigurationPorts {
  /** Reads the sources; it does not reject. */
  read(): Promise<ReadConfiguration>;
  /** Merges what was read by what may be used now. */
  merge(found: FoundServers): Promise<AdvisedServers>;
  /** Told of what is used from now on. */
  taken(merged: AdvisedServers): void;
}

export function createConfiguration(opened: ReadConfiguration, ports: ConfigurationPorts): Configuration {
  let current = opened;
  let broken = brokenEntries(opened.merged);
  let waiting = waitingEntries(opened.merged);
  /** What was read later, or decided later, is handed over later. */
  let turn: Promise<ReadConfiguration> = Promise.resolve(opened);

  function take(next: ReadConfiguration): void {
    current = next;
    broken = brokenEntries(next.merged);
    waiting = waitingEntries(next.merged);
  }

  async function handOver(next: ReadConfiguration, manager: Pick<McpManager, "reload">) {
    const before = current;
    take(next);
    try {
      const report = await manager.reload(next.merged.servers);
      ports.taken(next.merged);
      return report;
    } catch (error) {
      if (current === next) take(before);
      throw error;
    }
  }

  return {
    get merged() {
      return current.merged;
    },
    broken: () => broken,
    waiting: () => waiting,
    async reload(manager) {
      turn = turn.then(() => ports.read());
      const next = await turn;
      const { problems, diagnostics, blocked } = next.merged;
      const told = { problems, diagnostics, blocked: blocked.map(reasonOf) };
      if (hasLostSource(current.merged, next.merged)) {
        const kept = current.merged.servers.map(({ name }) => name);
        return { applied: false, added: [], removed: [], changed: [], kept, ...told };
      }
      return { applied: true, ...(await handOver(next, manager)), ...told };
    },
    async reconsider(manager) {
      turn = turn.then(async () => {
        const { found } = current;
        return { found, merged: await ports.merge(found) };
      });
      await handOver(await turn, manager);
    },
  };
}

/**
 * Whether a source cannot be read that could be read before; one that never could be has nothing to lose. A file that is suddenly
 * empty is one that is being written.
 */
function hasLostSource(before: DiscoveredServers, after: DiscoveredServers): boolean {
  const known = new Set(unreadableFiles(before));
  const defined = [...before.servers, ...before.blocked.map(({ definition }) => definition)];
  const isEmptied = ({ code, file }: Diagnostic) =>
    code === "empty-file" && defined.some(({ definedIn }) => definedIn.file === file);
  return unreadableFiles(after).some((file) => !known.has(file)) || after.diagnostics.some(isEmptied);
}

function unreadableFiles({ problems }: DiscoveredServers): (string | undefined)[] {
  return problems
    .filter(({ server, kind }) => server === undefined && kind !== "ServerConfigError")
    .map(({ definedIn }) => definedIn.file);
}

function brokenEntries({ problems }: DiscoveredServers): readonly BrokenEntry[] {
  const at = Date.now();
  return problems.flatMap((problem) =>
    problem.server === undefined ? [] : [brokenEntry(problem.server, problem, at)],
  );
}

function waitingEntries({ servers, problems, blocked }: DiscoveredServers): readonly BrokenEntry[] {
  const at = Date.now();
  const taken = new Set([...servers.map(({ name }) => name), ...problems.map(({ server }) => server)]);
  return blocked.filter(isAwaitingTrust).flatMap((server) => {
    const { name } = server.definition;
    if (taken.has(name)) return [];
    taken.add(name);
    return [brokenEntry(name, { ...server.definition, error: approvalError(server) }, at)];
  });
}

function approvalError(server: BlockedServer): McpError {
  const { name, definedIn } = server.definition;
  const { by, reason } = reasonOf(server);
  // Where it ends with a command, that ends it.
  const message = `Server ${JSON.stringify(name)} is not started: ${reason}${by === "approval" ? "" : "."}`;
  return new McpError("MCP_APPROVAL_REQUIRED", message, {
    server: name,
    phase: "approve",
    outcome: "not-sent",
    location: definedIn,
  });
}

function brokenEntry(
  name: string,
  {
    error,
    definedIn,
    transport,
  }: Pick<ConfigProblem, "error" | "definedIn"> & Partial<Pick<ServerDefinition, "transport">>,
  at: number,
): BrokenEntry {
  const { code, message } = error;
  const snapshot: ServerSnapshot = {
    name,
    status: "failed",
    ...(transport === undefined ? {} : { transport }),
    since: at,
    error: { code, message, at },
    tools: 0,
    toolsFrom: "none",
    calls: 0,
    failures: 0,
    definedIn,
  };
  return { name, error, snapshot };
}
