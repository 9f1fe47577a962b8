/** Identifies a process, even among earlier and later processes with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start time as the system writes it. Use it only for comparison. */
  readonly start: string;
}

/** What the system says of one process. */
export interface ProcessFact extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupId: number;
  /** Missing where the system does not tell. */
  readonly sessionId?: number | undefined;
  /** It has ended, but its parent has not reaped it yet. */
  readonly isDead: boolean;
}

/** All processes at one moment. */
export interface ProcessSnapshot {
  get(pid: number): ProcessFact | undefined;
  childrenOf(pid: number): readonly ProcessFact[];
  /** Every process whose group or session has this number. */
  gatheredUnder(id: number): readonly ProcessFact[];
}

/** Indexes the processes that were read. */
export function createProcessSnapshot(facts: readonly ProcessFact[]): ProcessSnapshot {
  const byPid = new Map(facts.map((fact) => [fact.pid, fact]));
  const byParent = Map.groupBy(facts, (fact) => fact.parentPid);
  const byGroup = Map.groupBy(facts, (fact) => fact.groupId);
  const bySession = Map.groupBy(facts, (fact) => fact.sessionId);
  return {
    get: (pid) => byPid.get(pid),
    childrenOf: (pid) => byParent.get(pid) ?? [],
    gatheredUnder: (id) => [...(byGroup.get(id) ?? []), ...(bySession.get(id) ?? [])],
  };
}

/**
 * Reads `/proc/<pid>/stat` (proc(5)): state, parent, group and session are fields 3 to 6, the start time is field 22. The
 * second field is the program's name in parentheses, and may itself hold spaces and parentheses.
 */
export function parseProcStat(text: string): ProcessFact | undefined {
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const [state, parentPid, groupId, sessionId] = fields;
  const start = fields[19];
  const pid = Number.parseInt(text, 10);
  if (nameEnd === -1 || !(pid > 0) || start === undefined) return undefined;
  return {
    pid,
    start,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
    isDead: isDeadState(state),
  };
}

/** The columns of `ps`, in the order that `parsePsOutput` expects. */
export const PS_COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=";

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/;

/** Reads what `ps -o` with `PS_COLUMNS` prints. Lines that are something else are left out. */
export function parsePsOutput(text: string): readonly ProcessFact[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parentPid, groupId, state, start] = PS_LINE.exec(line) ?? [];
    if (start === undefined) return [];
    return {
      pid: Number(pid),
      start,
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      isDead: isDeadState(state),
    };
  });
}

function isDeadState(state: string | undefined): boolean {
  return state !== undefined && /^[ZXx]/.test(state);
}
