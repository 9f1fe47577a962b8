import { type Logger, thrownMessage } from "@jackfield/mcp-core";

/** The log fields for an error of a store. */
export function failure(error: unknown): { readonly reason: string } {
  return { reason: thrownMessage(error) };
}

/**
 * Logs what is wrong and stays so once, however many servers meet it: a full disk is one fault, not one per write. An outage of the store
 * is one line when it begins and one when it is over.
 */
export class FaultLog {
  readonly #log: Logger;
  readonly #logged = new Set<string>();
  /** Whether the store did not do what it was last asked to. */
  isOutage = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Something is wrong, and stays so. Faults are the same if level, message and reason are. */
  readonly log: Logger = (level, message, fields) => {
    const fault = JSON.stringify([level, message, fields?.reason]);
    if (this.#logged.has(fault)) return;
    this.#logged.add(fault);
    this.#log(level, message, fields);
  };

  /** The store did not do what it was asked to. */
  failed(message: string, error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    if (this.isOutage) return;
    this.isOutage = true;
    this.#log("warn", message, { ...fields, ...failure(error) });
  }

  /** The store did what it was asked to. */
  worked(): void {
    if (!this.isOutage) return;
    this.isOutage = false;
    this.#log("warn", "The tool catalog's store works again.");
  }
}
