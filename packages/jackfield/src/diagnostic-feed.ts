import { type Diagnostic, type Logger, thrownText } from "@jackfield/mcp-core";

/** Notifies listeners of each diagnostic that the previous read of the configuration did not have. */
export interface DiagnosticFeed {
  on(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Replaces the known diagnostics and announces new ones. The first call announces none: the report of `openMcp` has them. */
  replace(diagnostics: readonly Diagnostic[]): void;
  /** The same for a configuration that was not applied: known diagnostics stay known. */
  add(diagnostics: readonly Diagnostic[]): void;
}

/** A listener that throws or rejects is logged and does not affect the others. */
export function createDiagnosticFeed(log: Logger): DiagnosticFeed {
  const listeners = new Set<{ call(diagnostic: Diagnostic): unknown }>();
  let known: ReadonlySet<string> | undefined;

  const logFailure = (error: unknown) =>
    log("error", 'A listener of "diagnostic" threw.', { error: thrownText(error) });
  const notify = (diagnostic: Diagnostic) => {
    for (const { call } of [...listeners]) {
      try {
        Promise.resolve(call(diagnostic)).catch(logFailure);
      } catch (error) {
        logFailure(error);
      }
    }
  };
  const announceNew = (diagnostics: readonly Diagnostic[], stillKnown: Iterable<string>) => {
    const before = known;
    known = new Set([...stillKnown, ...diagnostics.map(keyOf)]);
    if (before === undefined) return;
    for (const diagnostic of diagnostics) if (!before.has(keyOf(diagnostic))) notify(diagnostic);
  };

  return {
    on(listener) {
      const own = { call: listener };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    replace: (diagnostics) => announceNew(diagnostics, []),
    add: (diagnostics) => announceNew(diagnostics, known ?? []),
  };
}

/** Without the line number, which changes with any edit above it. */
function keyOf({ code, server, file, message }: Diagnostic): string {
  return JSON.stringify([code, server, file, message]);
}
