import { type Logger, redact } from "@jackfield/mcp-core";
import { callListener } from "./listener-call.ts";

/** A logger that never hears one server's secrets, whatever it is told about that server. One that fails disturbs nothing. */
export function createRedactingLogger(log: Logger, secrets: readonly string[]): Logger {
  return (level, message, fields) => {
    const shown = Object.entries(fields ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? redact(value, secrets) : value,
    ]);
    callListener(() => log(level, redact(message, secrets), Object.fromEntries(shown)));
  };
}
