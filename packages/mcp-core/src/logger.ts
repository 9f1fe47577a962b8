/** How much a message matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured fields of a log message; values are JSON. */
export type LogFields = { readonly server?: string | undefined; readonly [field: string]: unknown };

/** Receives the runtime's log messages, which contain no secrets. It must not throw. */
export type Logger = (level: LogLevel, message: string, fields?: LogFields) => void;

/** A logger that discards every message. */
export const silentLogger: Logger = () => {};
