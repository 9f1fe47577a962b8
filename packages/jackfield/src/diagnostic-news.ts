import { type Diagnostic, type Logger, thrownText } from "@jackfield/mcp-core";

/** Notifies listeners of each diagnostic that the previous read of the configuration did not have. */
export interface DiagnosticNews {
  on(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Replaces the known diagnostics and announces new ones. The first call announces none: the report of `openMcp` has them. */
  replace(diagnostics: readonly Diagnostic[]): void;
  /** The same for a configuration that was not applied: known diagnostics stay known. */
  add(diagnostics: readonly Diagnostic[]): void;
}

/** A listener that throws or rejects is logged and does not affect the others. */
export function createDiagnosticNews(log: Logger): DiagnosticNews {
  const listeners = new Set<{ hear(diagnostic: Diagnostic): unknown }>();
  let known: ReadonlySet<string> | undefined;

  const complain = (error: unknown) =>
    log("error", 'a listener of "diagnostic" threw', { error: thrownText(error) });
  const tell = (diagnostic: Diagnostic) => {
    for (const { hear } of [...listeners]) {
      try {
        Promise.resolve(hear(diagnostic)).catch(complain);
      } catch (error) {
        complain(error);
      }
    }
  };
  const announceNew = (diagnostics: readonly Diagnostic[], stillKnown: Iterable<string>) => {
    const before = known;
    known = new Set([...stillKnown, ...diagnostics.map(keyOf)]);
    if (before === undefined) return;
    for (const diagnostic of diagnostics) if (!before.has(keyOf(diagnostic))) tell(diagnostic);
  };

  return {
    on(listener) {
      const own = { hear: listener };
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
