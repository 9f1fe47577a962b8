import type { Logger } from "@jackfield/mcp-core";

/**
 * A logger that passes each fault on once, however many servers meet it: a full disk is one fault, not one per write. Faults are
 * the same if level, message and reason are.
 */
export function createFaultLog(log: Logger): Logger {
  const logged = new Set<string>();
  return (level, message, fields) => {
    const fault = JSON.stringify([level, message, fields?.reason]);
    if (logged.has(fault)) return;
    logged.add(fault);
    return log(level, message, fields);
  };
}
