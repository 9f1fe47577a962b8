import { type Diagnostic, type Logger, thrownText } from "@jackfield/mcp-core";

/** Tells listeners of each diagnostic that was not there when the configuration was read before. */
export interface DiagnosticNews {
  on(listener: (diagnostic: Diagnostic) => void): () => void;
  /** What there is now; the first time nobody is told, for the report of the opening has that. */
  take(diagnostics: readonly Diagnostic[]): void;
  /** The same for what was read and not taken: what was known before stays known. */
  add(diagnostics: readonly Diagnostic[]): void;
}

/** A listener that throws, or whose promise rejects, is logged and disturbs nobody. */
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
  const know = (diagnostics: readonly Diagnostic[], kept: Iterable<string>) => {
    const before = known;
    known = new Set([...kept, ...diagnostics.map(keyOf)]);
    if (before === undefined) return;
    for (const diagnostic of diagnostics) if (!before.has(keyOf(diagnostic))) tell(diagnostic);
  };

  return {
    on(listener) {
      const own = { hear: listener };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    take: (diagnostics) => know(diagnostics, []),
    add: (diagnostics) => know(diagnostics, known ?? []),
  };
}

/** Without the line, which anything above it moves. */
function keyOf({ code, server, file, message }: Diagnostic): string {
  return JSON.stringify([code, server, file, message]);
}
