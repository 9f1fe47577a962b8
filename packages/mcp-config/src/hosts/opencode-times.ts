import { isRecord, MAX_TIMER_MS } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import type { JsonPath } from "../documents/json-path.ts";
import type { JsonMap } from "../documents/json-value.ts";
import { placeInCommand } from "../entries/written-path.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { describeLocation } from "../sources/config-problem.ts";
import type { HostDocument } from "./host-dialect.ts";

/** The newer format's name for the timeout of each step, and the field for it here. */
const STEPS = { startup: "connectTimeoutMs", execution: "timeoutMs" } as const;

/** The field in which reshaping puts the startup timeout; no file has a field of this name. */
export const STARTUP = "timeout.startup";

/** Splits an object of timeouts into two fields. */
export function splitTimes({ timeout, ...entry }: JsonMap): JsonMap {
  if (!isRecord(timeout)) return timeout === undefined ? entry : { ...entry, timeout };
  return { ...entry, [STARTUP]: timeout.startup, timeout: timeout.execution };
}

/** The timeouts that nothing here corresponds to. */
export function otherTimes({ timeout }: JsonMap): JsonMap | undefined {
  if (!isRecord(timeout)) return undefined;
  const { startup: _startup, execution: _execution, ...others } = timeout;
  return Object.keys(others).length > 0 ? { timeout: others } : undefined;
}

/** The path in the file of what reshaping has put at a path. */
export function placeOf(path: JsonPath, entry: JsonMap): JsonPath {
  const [field] = path;
  if (field === STARTUP) return ["timeout", "startup"];
  if (field === "timeout" && isRecord(entry.timeout)) return ["timeout", "execution"];
  return placeInCommand(path, entry);
}

/** Whether `mcp.timeout` holds timeouts, and is not a server of that name. */
export function areTimes(value: unknown): boolean {
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 0 && names.every((name) => ["startup", "catalog", "execution"].includes(name));
}

/** The timeouts that `mcp.timeout` has for every server; of each, the strongest layer wins. */
export function readTimes(
  documents: readonly HostDocument[],
  report: Report,
): Pick<WrittenServer, "connectTimeoutMs" | "timeoutMs"> | undefined {
  const found: { connectTimeoutMs?: number; timeoutMs?: number } = {};
  for (const { content, document } of documents) {
    const times = isRecord(content.mcp) && isRecord(content.mcp.timeout) ? content.mcp.timeout : {};
    if (!areTimes(times)) continue;
    for (const step of ["startup", "execution"] as const) {
      const time = times[step];
      if (time === undefined) continue;
      if (typeof time === "number" && time >= 0 && time <= MAX_TIMER_MS) found[STEPS[step]] ??= time;
      else {
        const location = document?.locate(["mcp", "timeout", step]) ?? {};
        const text = `"${step}" must be a number of milliseconds. It is left out.`;
        report(diagnose("invalid-field", `${describeLocation(location)}: ${text}`, location));
      }
    }
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
