/** How much a message matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What is known besides the message; values are JSON. */
export type LogFields = { readonly server?: string | undefined; readonly [field: string]: unknown };

/** Where the runtime says what it does. What it is given carries no secret. It must not throw. */
export type Logger = (level: LogLevel, message: string, fields?: LogFields) => void;

/** Says nothing. */
export const silentLogger: Logger = () => {};
