import type { BlockedServer, DiscoveredServers, FoundServers } from "@jackfield/mcp-config";
import { type Diagnostic, McpError } from "@jackfield/mcp-core";
import type { ConfiguredServer, McpManager, StartupReport, UnusableServer } from "@jackfield/mcp-manager";
import { type AdvisedServers, blockedReportOf, isAwaitingTrust } from "./blocked-servers.ts";
import { configurationReport } from "./configuration-report.ts";
import type { McpReloadReport } from "./mcp.ts";
import { isUnderWrongKey } from "./wrong-root-key.ts";

/** The configuration as read, and merged from what may be used of it. */
export interface ReadConfiguration {
  readonly found: FoundServers;
  readonly merged: AdvisedServers;
}

/** The current configuration, which can be read again. */
export interface Configuration {
  /** The configuration that was applied last. */
  readonly merged: AdvisedServers;
  /** Reads the sources again and reloads the manager, unless a source was lost. */
  reload(manager: Pick<McpManager, "reload">): Promise<McpReloadReport>;
  /**
   * Decides again what may be used of the last read, and reloads the manager. It reads no file, so only definitions that were shown are
   * used.
   */
  reconsider(manager: Pick<McpManager, "reload">): Promise<void>;
}

export interface ConfigurationPorts {
  /** Reads the sources; it does not reject. */
  read(): Promise<ReadConfiguration>;
  /** Merges what was read, by what is approved and trusted now. */
  merge(found: FoundServers): Promise<AdvisedServers>;
  /** Called with the configuration that applies from now on. */
  applied(merged: AdvisedServers): void;
  /** Called with one that does not apply, because a source was lost. */
  refused(merged: AdvisedServers): void;
}

export function createConfiguration(opened: ReadConfiguration, ports: ConfigurationPorts): Configuration {
  let current = opened;
  /** Serializes reads and decisions, so that they reach the manager in order. */
  let turn: Promise<ReadConfiguration> = Promise.resolve(opened);

  async function apply(next: ReadConfiguration, manager: Pick<McpManager, "reload">) {
    const before = current;
    current = next;
    try {
      const report = await manager.reload(configuredServers(next.merged));
      ports.applied(next.merged);
      return report;
    } catch (error) {
      if (current === next) current = before;
      throw error;
    }
  }

  return {
    get merged() {
      return current.merged;
    },
    async reload(manager) {
      turn = turn.then(() => ports.read());
      const next = await turn;
      const report = {
        ...configurationReport(next.merged),
        failed: failedEntries(next.merged),
      };
      if (hasLostSource(current.merged, next.merged)) {
        ports.refused(next.merged);
        const kept = current.merged.servers.map(({ name }) => name);
        return { applied: false, added: [], removed: [], changed: [], kept, ...report };
      }
      return { applied: true, ...(await apply(next, manager)), ...report };
    },
    async reconsider(manager) {
      turn = turn.then(async () => {
        const { found } = current;
        return { found, merged: await ports.merge(found) };
      });
      await apply(await turn, manager);
    },
  };
}

/**
 * Whether a source that was readable before no longer is; one that never was does not count. A file that had servers counts if it is
 * empty now, because it is probably being written, or has all its servers under a key that is not read. Nor does such a diagnostic count
 * if it was there before: of two hosts that read a file, one may never have found servers in it.
 */
function hasLostSource(before: DiscoveredServers, after: DiscoveredServers): boolean {
  const known = new Set(unreadableFiles(before));
  const defined = [...before.servers, ...before.blocked.map(({ definition }) => definition)];
  const hadServers = (file: string | undefined) => defined.some(({ definedIn }) => definedIn.file === file);
  const toldBefore = before.diagnostics.filter(saysNoServers);
  const isNew = ({ code, file }: Diagnostic) =>
    !toldBefore.some((told) => told.code === code && told.file === file);
  return (
    unreadableFiles(after).some((file) => !known.has(file)) ||
    after.diagnostics.filter(saysNoServers).some((found) => hadServers(found.file) && isNew(found))
  );
}

function saysNoServers(diagnostic: Diagnostic): boolean {
  return diagnostic.code === "empty-file" || isUnderWrongKey(diagnostic);
}

function unreadableFiles({ problems }: DiscoveredServers): (string | undefined)[] {
  return problems
    .filter(({ server, kind }) => server === undefined && kind !== "ServerConfigError")
    .map(({ definedIn }) => definedIn.file);
}

/** The servers that may be used, and as failed ones the entries that cannot: those with an error, and those that wait for approval or trust. */
export function configuredServers(merged: DiscoveredServers): readonly ConfiguredServer[] {
  return [...merged.servers, ...brokenEntries(merged), ...entriesAwaitingTrust(merged)];
}

/** The entries with an error, as reports list them. Frozen. */
function failedEntries(merged: DiscoveredServers): StartupReport["failed"] {
  return Object.freeze(brokenEntries(merged).map(({ name, error }) => Object.freeze({ name, error })));
}

function brokenEntries({ problems }: DiscoveredServers): readonly UnusableServer[] {
  return problems.flatMap(({ server: name, definedIn, error }) =>
    name === undefined ? [] : [{ name, definedIn, error }],
  );
}

/** Unless another entry has the name. */
function entriesAwaitingTrust({ servers, problems, blocked }: DiscoveredServers): readonly UnusableServer[] {
  const taken = new Set([...servers.map(({ name }) => name), ...problems.map(({ server }) => server)]);
  return blocked.filter(isAwaitingTrust).flatMap((server) => {
    const { name, transport, definedIn } = server.definition;
    if (taken.has(name)) return [];
    taken.add(name);
    return [{ name, transport, definedIn, error: approvalError(server) }];
  });
}

function approvalError(server: BlockedServer): McpError {
  const { name, definedIn } = server.definition;
  const { by, reason } = blockedReportOf(server);
  // The reason for `approval` ends with a command to copy, so no full stop follows.
  const message = `Server ${JSON.stringify(name)} is not started: ${reason}${by === "approval" ? "" : "."}`;
  return new McpError("MCP_APPROVAL_REQUIRED", message, {
    server: name,
    phase: "approve",
    outcome: "not-sent",
    location: definedIn,
  });
}
