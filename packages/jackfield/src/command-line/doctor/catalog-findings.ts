import { type LastOutcome, type Logger, silentLogger, type ToolCache } from "@jackfield/mcp-core";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { hasStateDirectory, NO_STATE_DIRECTORY } from "../../unknown-home.ts";
import { type CatalogFault, hearFaults } from "../catalog-faults.ts";
import { type Finding, findingOf } from "./finding.ts";

/** The catalog, and what is observed while it is in use. */
export interface WatchedCatalog extends AsyncDisposable {
  readonly cache: ToolCache;
  /** How the last connection attempt before this run ended, by server. */
  readonly remembered: ReadonlyMap<string, LastOutcome>;
  findings(): Promise<readonly Finding[]>;
}

/**
 * Opens the catalog in a directory, or in memory without one.
 *
 * @param clearCommand - the command that empties it
 */
export function watchCatalog(
  directory: string | undefined,
  log: Logger,
  clearCommand = "jackfield cache clear",
): WatchedCatalog {
  const { faults, log: hearing } = hearFaults(log);
  // A catalog in memory logs only why it is there, which is a finding of its own.
  const own = sqliteToolCache({ path: directory, log: directory === undefined ? silentLogger : hearing });
  const remembered = new Map<string, LastOutcome>();
  const cache: ToolCache = {
    identify: (server, principal) => own.identify(server, principal),
    async getMany(ids) {
      const entries = await own.getMany(ids);
      for (const { server, lastOutcome } of entries.values()) {
        if (lastOutcome !== undefined && !remembered.has(server)) remembered.set(server, lastOutcome);
      }
      return entries;
    },
    set: (id, entry) => own.set(id, entry),
    markStale: (id) => own.markStale(id),
    delete: (id) => own.delete(id),
    list: () => own.list(),
    close: () => own.close(),
  };
  return {
    cache,
    remembered,
    async findings() {
      const unkept = directory === undefined || !hasStateDirectory() ? [UNKEPT] : [];
      if (directory === undefined) return unkept;
      const damaged = faults.map(({ message, fields }) =>
        faultFinding(directory, clearCommand, { message, fields }),
      );
      return [...unkept, ...damaged];
    },
    [Symbol.asyncDispose]: () => own.close(),
  };
}

const UNKEPT = findingOf(
  "home-unknown",
  `${NO_STATE_DIRECTORY}.`,
  "Set JACKFIELD_HOME to a folder for them.",
);

function faultFinding(
  directory: string,
  clearCommand: string,
  { message, fields: { file, reason } }: CatalogFault,
): Finding {
  if (typeof file === "string" && reason === undefined)
    return findingOf("catalog-damaged", message, "Nothing: servers are listed again.", { file });
  const why = typeof reason === "string" ? ` ${reason}` : "";
  const nextStep = `Check that the folder is writable, or empty the catalog with "${clearCommand}".`;
  return findingOf("catalog-damaged", `${message}${why}`, nextStep, { file: directory });
}
