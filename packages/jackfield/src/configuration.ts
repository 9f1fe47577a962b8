import type { ConfigProblem, LoadedServers } from "@jackfield/mcp-config";
import type { Diagnostic, McpError, ServerSnapshot } from "@jackfield/mcp-core";
import type { McpManager } from "@jackfield/mcp-manager";
import type { McpReloadReport } from "./mcp.ts";

/** An entry that cannot be used, as it is listed among the servers. */
export interface BrokenEntry {
  readonly name: string;
  readonly error: McpError;
  readonly snapshot: ServerSnapshot;
}

/** What is configured, and how to read it again. */
export interface Configuration {
  /** What was read last and could be used. */
  readonly loaded: LoadedServers;
  /** Entries with a mistake, as of the last reading. */
  broken(): readonly BrokenEntry[];
  /** Reads again and hands what was found to the manager. */
  reload(manager: Pick<McpManager, "reload">): Promise<McpReloadReport>;
}

/** @param read - reads the sources; it does not reject */
export function createConfiguration(
  opened: LoadedServers,
  read: () => Promise<LoadedServers>,
): Configuration {
  let loaded = opened;
  let broken = brokenEntries(opened);
  /** Of several reloads, what was read later is handed over later. */
  let reading: Promise<LoadedServers> = Promise.resolve(opened);

  function take(found: LoadedServers): void {
    loaded = found;
    broken = brokenEntries(found);
  }

  return {
    get loaded() {
      return loaded;
    },
    broken: () => broken,
    async reload(manager) {
      reading = reading.then(read);
      const found = await reading;
      const { problems, diagnostics } = found;
      if (hasLostSource(loaded, found)) {
        const kept = loaded.servers.filter(({ enabled }) => enabled !== false).map(({ name }) => name);
        return { applied: false, added: [], removed: [], changed: [], kept, problems, diagnostics };
      }
      const before = loaded;
      take(found);
      try {
        return { applied: true, ...(await manager.reload(found.servers)), problems, diagnostics };
      } catch (error) {
        if (loaded === found) take(before);
        throw error;
      }
    },
  };
}

/**
 * Whether a source cannot be read that could be read before; one that never could be has nothing to lose. A file that is suddenly
 * empty is one that is being written.
 */
function hasLostSource(before: LoadedServers, after: LoadedServers): boolean {
  const known = new Set(unreadableFiles(before));
  const isEmptied = ({ code, file }: Diagnostic) =>
    code === "empty-file" && before.servers.some(({ definedIn }) => definedIn.file === file);
  return unreadableFiles(after).some((file) => !known.has(file)) || after.diagnostics.some(isEmptied);
}

function unreadableFiles({ problems }: LoadedServers): (string | undefined)[] {
  return problems.filter(({ server }) => server === undefined).map(({ definedIn }) => definedIn.file);
}

function brokenEntries({ problems }: LoadedServers): readonly BrokenEntry[] {
  const at = Date.now();
  return problems.flatMap((problem) =>
    problem.server === undefined ? [] : [brokenEntry(problem.server, problem, at)],
  );
}

function brokenEntry(name: string, { error, definedIn }: ConfigProblem, at: number): BrokenEntry {
  const { code, message } = error;
  const snapshot: ServerSnapshot = {
    name,
    status: "failed",
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
