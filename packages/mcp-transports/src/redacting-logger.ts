import { type Logger, redact } from "@jackfield/mcp-core";
import { callListener } from "./listener-call.ts";

/**
 * A logger that never hears one server's secrets, whatever it is told about that server. They are asked for each time, because some come
 * with the connection. The name of the server is the user's own, and says which it is even if a secret has it. One that fails disturbs nothing.
 */
export function createRedactingLogger(log: Logger, secretsOf: () => readonly string[]): Logger {
  return (level, message, fields) => {
    const secrets = secretsOf();
    const shown = Object.entries(fields ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" && name !== "server" ? redact(value, secrets) : value,
    ]);
    callListener(() => log(level, redact(message, secrets), Object.fromEntries(shown)));
  };
}
