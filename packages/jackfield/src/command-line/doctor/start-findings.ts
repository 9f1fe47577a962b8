import type { LastOutcome, ServerSnapshot } from "@jackfield/mcp-core";
import type { Orphan } from "@jackfield/mcp-transports";
import type { Activity } from "../activities.ts";
import { durationText } from "../duration-text.ts";
import { type Finding, findingOf } from "./finding.ts";

/** A slower server delays each start for which the catalog does not know it. */
const SLOW_START_MS = 3_000;

/**
 * Servers that took longer than three seconds to start, now or the last time. Failed starts do not count.
 *
 * @param attempts - the connections of this run
 * @param remembered - how the attempts before this run ended, by server
 */
export function slowStartFindings(
  servers: readonly ServerSnapshot[],
  attempts: readonly Activity[],
  remembered: ReadonlyMap<string, LastOutcome>,
): readonly Finding[] {
  return servers.flatMap(({ name, definedIn: { file, line }, transport, error }) => {
    if (error !== undefined) return [];
    const now = Math.max(
      0,
      ...attempts
        .filter((attempt) => attempt.name === name && !attempt.hasFailed)
        .map(({ beganAt, endedAt = beganAt }) => endedAt - beganAt),
    );
    const last = remembered.get(name);
    const before = last?.ok === true ? last.tookMs : 0;
    if (Math.max(now, before) <= SLOW_START_MS) return [];
    const when = now > SLOW_START_MS ? "" : " the last time";
    const took = durationText(now > SLOW_START_MS ? now : before);
    const message = `Server ${JSON.stringify(name)} took ${took} to start${when}.`;
    const nextStep =
      transport === "stdio"
        ? 'Install its package, so that nothing is downloaded at the start, or write "lazy": true to start it at its first call.'
        : 'Write "lazy": true into the entry to connect at the first call.';
    return [findingOf("slow-start", message, nextStep, { server: name, file, line })];
  });
}

/** Servers that are still running although the host that started them is gone. */
export function orphanFindings(orphans: readonly Orphan[]): readonly Finding[] {
  return orphans.map(({ server, pid }) => {
    const message = `Server ${JSON.stringify(server)} still runs as process ${pid}, although the program that started it is gone.`;
    return findingOf("orphan", message, `End it, unless another program uses it: kill ${pid}`, { server });
  });
}
