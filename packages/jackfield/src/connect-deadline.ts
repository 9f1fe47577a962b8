import { type Connector, isMcpError, type Logger, type ServerDefinition } from "@jackfield/mcp-core";
import { rewordedError } from "./reworded-error.ts";

const VARIABLE = "JACKFIELD_TIMEOUT_MS";

/**
 * The connect deadline from `JACKFIELD_TIMEOUT_MS`, in milliseconds, `0` = no limit; `undefined` if the variable is unset or empty. An
 * invalid value is ignored with a warning. The variable overrides every entry and option, as `OMP_MCP_TIMEOUT_MS` does in oh-my-pi: it is
 * for someone who runs a program on a slow machine and can change neither.
 */
export function readConnectDeadline(env: Variables, log: Logger): number | undefined {
  const fault = connectDeadlineFault(env);
  if (fault !== undefined) log("warn", fault, { written: env[VARIABLE]?.trim() });
  return durationVariable(env, VARIABLE, 0);
}

/** Why `JACKFIELD_TIMEOUT_MS` is ignored; `undefined` if it is valid, unset or empty. */
export function connectDeadlineFault(env: Variables): string | undefined {
  const isUnset = (env[VARIABLE]?.trim() ?? "") === "";
  if (isUnset || durationVariable(env, VARIABLE, 0) !== undefined) return undefined;
  return `${VARIABLE} is ignored; it must be a number of milliseconds, 0 for no limit.`;
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

/** The connector with timeout errors that advise to raise the variable instead of `connectTimeoutMs`, if the variable sets the limit. */
export function withDeadlineAdvice(connect: Connector, env: Variables): Connector {
  if (durationVariable(env, VARIABLE, 0) === undefined) return connect;
  return (server, options) =>
    connect(server, options).catch((error: unknown) => {
      if (!isMcpError(error, "MCP_CONNECT_TIMEOUT")) throw error;
      throw rewordedError(error, error.message.replace(/\b(raise) connectTimeoutMs/i, `$1 ${VARIABLE}`));
    });
}

/** Environment variables, as in `process.env`. */
export type Variables = { readonly [name: string]: string | undefined };

/**
 * A duration in milliseconds from the environment; `undefined` if the variable is missing, empty or invalid, which the runtimes that have
 * such variables ignore without a warning.
 *
 * @param leastMs - the shortest valid duration
 */
export function durationVariable(env: Variables, name: string, leastMs: number): number | undefined {
  const text = env[name]?.trim();
  const durationMs = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(durationMs) && durationMs >= leastMs ? durationMs : undefined;
}
