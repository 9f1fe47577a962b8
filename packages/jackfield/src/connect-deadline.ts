import type { Logger, ServerDefinition } from "@jackfield/mcp-core";
import { durationVariable, type Variables } from "./presets/duration-variable.ts";

const VARIABLE = "JACKFIELD_TIMEOUT_MS";

/**
 * The connect deadline from `JACKFIELD_TIMEOUT_MS`, in milliseconds, `0` = no limit; `undefined` if the variable is unset or empty. An
 * invalid value is ignored with a warning. The variable overrides every entry and option, as `OMP_MCP_TIMEOUT_MS` does in oh-my-pi: it is
 * for someone who runs a program on a slow machine and can change neither.
 */
export function readConnectDeadline(env: Variables, log: Logger): number | undefined {
  const deadlineMs = durationVariable(env, VARIABLE, 0);
  const written = env[VARIABLE]?.trim() ?? "";
  if (deadlineMs === undefined && written !== "") {
    log("warn", `${VARIABLE} is ignored; it must be a number of milliseconds, 0 for no limit`, { written });
  }
  return deadlineMs;
}

/** The definitions with this connect deadline in place of their own; unchanged for `undefined`. */
export function withConnectDeadline(
  servers: readonly ServerDefinition[],
  deadlineMs: number | undefined,
): readonly ServerDefinition[] {
  if (deadlineMs === undefined) return servers;
  return servers.map((definition) => ({
    ...definition,
    limits: { ...definition.limits, connectTimeoutMs: deadlineMs },
  }));
}
