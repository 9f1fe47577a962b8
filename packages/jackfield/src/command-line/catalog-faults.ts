import type { LogFields, Logger } from "@jackfield/mcp-core";

/** A problem that keeps a catalog from being read or stored. */
export interface CatalogFault {
  readonly message: string;
  readonly fields: LogFields;
}

/**
 * Collects the faults of a catalog from its log, and passes the log on. A catalog never rejects: if its file cannot be read or written, it
 * works in memory, and only its log says so.
 */
export function hearFaults(log: Logger): { readonly log: Logger; readonly faults: readonly CatalogFault[] } {
  const faults: CatalogFault[] = [];
  return {
    faults,
    log(level, message, fields = {}) {
      if (level === "warn" || level === "error") faults.push({ message, fields });
      log(level, message, fields);
    },
  };
}
