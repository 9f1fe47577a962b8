/** The part of the OpenTelemetry API that is used. */
export type OpenTelemetry = Pick<
  typeof import("@opentelemetry/api"),
  "context" | "isSpanContextValid" | "SpanKind" | "SpanStatusCode" | "trace"
>;

/**
 * Loads the package, if the program has it: on first use, not when this package is imported.
 *
 * @throws what kept a package that is there from loading
 */
export async function loadOpenTelemetry(): Promise<OpenTelemetry | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
