import type { LastOutcome, ResolvedStdioServer, ServerSnapshot } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { Orphan } from "@jackfield/mcp-transports";
import { ownStateDirectory } from "../../state-directory.ts";
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

/** Servers that were started in the neutral folder, since nobody would guess why they see nothing of this one. */
export function neutralFolderFindings(started: Iterable<ResolvedStdioServer>): readonly Finding[] {
  const folder = launchFolder();
  const moved = [...started].filter(({ cwd }) => cwd !== undefined && cwd === folder);
  if (moved.length === 0) return [];
  const names = moved.map(({ name }) => JSON.stringify(name)).join(", ");
  const isOne = moved.length === 1;
  const message = isOne
    ? `Server ${names} starts in an empty folder, because its command would take packages, code or settings from this one.`
    : `Servers ${names} start in an empty folder, because their commands would take packages, code or settings from this one.`;
  const nextStep = `To start ${isOne ? "it" : "one"} in a folder that you trust, write "cwd" into its entry.`;
  return [findingOf("started-elsewhere", message, nextStep, isOne ? { server: moved[0]?.name } : {})];
}

function launchFolder(): string | undefined {
  const folder = ownStateDirectory("launch");
  try {
    return folder && fileSystem.realpathSync.native(folder);
  } catch {
    return undefined; // Nothing was ever started there.
  }
}

/** Servers that are still running although the host that started them is gone. */
export function orphanFindings(orphans: readonly Orphan[]): readonly Finding[] {
  return orphans.map(({ server, pid }) => {
    const message = `Server ${JSON.stringify(server)} still runs as process ${pid}, although the program that started it is gone.`;
    return findingOf("orphan", message, `End it, unless another program uses it: kill ${pid}`, { server });
  });
}
