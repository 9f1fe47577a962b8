/** The part of the OpenTelemetry API that is used. */
export type OpenTelemetry = Pick<
  typeof import("@opentelemetry/api"),
  "context" | "isSpanContextValid" | "SpanKind" | "SpanStatusCode" | "trace"
>;

/** Loads the package, if the program has it: on first use, not when this package is imported. */
export async function loadOpenTelemetry(): Promise<OpenTelemetry | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch {
    return undefined;
  }
}
