/** What is used of OpenTelemetry. */
export type OpenTelemetry = Pick<
  typeof import("@opentelemetry/api"),
  "context" | "isSpanContextValid" | "SpanKind" | "SpanStatusCode" | "trace"
>;

/** The package, if the program has it. It is looked for when it is first needed, not when this one is imported. */
export async function loadOpenTelemetry(): Promise<OpenTelemetry | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch {
    return undefined;
  }
}
