import { type Logger, redact } from "@jackfield/mcp-core";
import { callListener } from "./listener-call.ts";

/**
 * A logger that redacts one server's secrets in every entry. The secrets are read for each entry, because some are known only once
 * connected. The field `server` is not redacted: the name is the user's own and has to identify the server. Errors of `log` are ignored.
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
