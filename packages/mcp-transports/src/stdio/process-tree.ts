import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@jackfield/mcp-core";
import {
  allProcesses,
  childProcesses,
  type ProcessFact,
  processesNow,
  processesOf,
} from "./process-table.ts";

/** A server's helpers mostly start with its first answer, or soon after it. */
const LOOK_AFTER_MS = 1000;

/** How often it is asked whether the processes that were told to end are gone. */
const ASK_EVERY_MS = 20;

/** A host that is ending waits for nothing: what was started while its trees were killed is killed next. */
const MOST_ROUNDS = 3;

/** The trees that end with the host, however it ends, unless it is killed. */
const running = new Set<ProcessTree>();
let stopWatching = () => {};

/** The child's input, the time that closing may take, and the log for what could not be ended. */
export interface ProcessTreeOptions {
  readonly input: Writable | null;
  readonly closeTimeoutMs: number;
  readonly log: Logger;
}

/**
 * A child process that was started `detached`, and whatever it has started in turn: its group and session, and those that have left them,
 * as far as they were seen. It is looked at a second after the server's first answer, and before each step of its end. A number alone
 * never gets a signal: it counts only with the start time that belongs to it.
 */
export class ProcessTree {
  readonly #child: ChildProcess;
  readonly #pid: number;
  readonly #options: ProcessTreeOptions;
  readonly #hurry = new AbortController();
  /** All that were ever seen: none where the system lists no processes. Then only the group as a whole is known. */
  #known: readonly ProcessFact[];
  /** Those that lived when they were last looked at. */
  #members: readonly ProcessFact[];
  #look: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(child: ChildProcess & { readonly pid: number }, options: ProcessTreeOptions) {
    this.#child = child;
    this.#pid = child.pid;
    this.#options = options;
    // The number still belongs to the child: it is not reused before Node.js has reported the child dead.
    this.#known = processesNow([child.pid]);
    this.#members = this.#known;
    if (running.size === 0) stopWatching = onHostEnd(killAll);
    running.add(this);
  }

  /** The server has answered, so the processes that it needs are running, or about to. */
  becomeReady(): void {
    if (!this.#ending)
      this.#look = setTimeout(async () => this.seen(await allProcesses()), LOOK_AFTER_MS).unref();
  }

  /**
   * Ends every process of the tree: closes its input, then sends SIGTERM, then SIGKILL. Two fifths of the time that closing may take are for
   * either of the first two steps, as the official clients do it. Idempotent. `hurry` sends SIGTERM at once, also if a slower
   * end is already under way.
   */
  end(options?: { readonly hurry?: boolean | undefined }): Promise<void> {
    if (options?.hurry) this.#hurry.abort();
    this.#ending ??= this.#endInSteps();
    return this.#ending;
  }

  async #endInSteps(): Promise<void> {
    const { input, closeTimeoutMs, log } = this.#options;
    const stepMs = (2 * closeTimeoutMs) / 5;
    clearTimeout(this.#look);
    // Before anything ends: a process that left the session is found only while its parents live.
    this.seen(await allProcesses());
    input?.end();
    // One controller for both: nothing but a listener keeps the parts of a joined signal (AbortSignal.any) from being collected.
    const patience = setTimeout(() => this.#hurry.abort(), stepMs);
    const isGone =
      (await this.#goneBefore(this.#hurry.signal)) ||
      (await this.#terminate(stepMs)) ||
      (await this.#kill(closeTimeoutMs / 5));
    clearTimeout(patience);
    running.delete(this);
    if (running.size === 0) stopWatching();
    if (!isGone) log("warn", "A process of the server has outlived even SIGKILL.");
  }

  /** Waits until no process is left, or `patience` fires. Resolves with whether none is left. */
  async #goneBefore(patience: AbortSignal): Promise<boolean> {
    while (!(await this.#isGone())) {
      if (patience.aborted) return false;
      if (this.#isChildGone) await pause(ASK_EVERY_MS);
      else await once(this.#child, "exit", { signal: patience }).catch(() => {});
    }
    return true;
  }

  async #terminate(waitMs: number): Promise<boolean> {
    this.seen(await allProcesses());
    this.signal("SIGTERM");
    return this.#goneBefore(AbortSignal.timeout(waitMs));
  }

  /** Looks again each time: a process may have started another one just before it was killed. */
  async #kill(waitMs: number): Promise<boolean> {
    const patience = AbortSignal.timeout(waitMs);
    do {
      this.seen(await allProcesses());
      this.signal("SIGKILL");
      await pause(ASK_EVERY_MS);
      if (await this.#isGone()) return true;
    } while (!patience.aborted);
    return false;
  }

  get #isChildGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Once those that are known are gone, looks for what they have left. */
  async #isGone(): Promise<boolean> {
    const now = await processesOf(this.#members.map(({ pid }) => pid));
    this.#members = now.filter((fact) => !fact.isDead && isAmong(fact, this.#known));
    if (this.#members.length > 0 || !this.#isChildGone) return false;
    return !this.seen(await allProcesses());
  }

  /** Updates the members from a list of all processes. Returns whether there are any. */
  seen(all: readonly ProcessFact[]): boolean {
    if (this.#known.length === 0 || all.length === 0) return isGroupRunning(this.#pid);
    this.#members = treeOf(this.#known, all, process.pid);
    this.#known = [...this.#known, ...this.#members.filter((fact) => !isAmong(fact, this.#known))];
    return this.#members.length > 0;
  }

  /** To the group as a whole, so that nobody in it is missed, and to each member outside of it. */
  signal(signal: NodeJS.Signals): void {
    const isGroupLeft =
      this.#known.length === 0 || this.#members.some(({ groupId }) => groupId === this.#pid);
    if (isGroupLeft) signalGroup(this.#pid, signal);
    for (const { pid, groupId } of this.#members) if (groupId !== this.#pid) send(pid, signal);
  }
}

function killAll(): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const all = processesNow();
    const left = [...running].filter((tree) => tree.seen(all));
    if (left.length === 0) break;
    for (const tree of left) tree.signal("SIGKILL");
  }
  running.clear();
}

/**
 * The living processes of a tree: those known before, all in their groups and sessions, and from there on all children, and all that share
 * a group or session with one. A process cannot join a session from outside, so one that shares it descends from the tree as well. The
 * number of a group counts no longer once another process has it. The host's own session is left out.
 */
export function treeOf(
  known: readonly ProcessFact[],
  all: readonly ProcessFact[],
  hostPid: number,
): readonly ProcessFact[] {
  const host = all.find(({ pid }) => pid === hostPid);
  const members = new Map<number, ProcessFact>();
  const groups = new Set<number>();
  // A process may have begun a group of its own since it was seen.
  const addGroups = ({ pid, groupId, sessionId = groupId }: ProcessFact) => {
    for (const id of [pid, groupId, sessionId])
      if (id !== host?.groupId && id !== host?.sessionId) groups.add(id);
  };
  for (const fact of known) addGroups(fact);
  for (const fact of all) if (!isAmong(fact, known)) groups.delete(fact.pid);
  const isOurs = (fact: ProcessFact) =>
    isAmong(fact, known) ||
    members.has(fact.parentPid) ||
    groups.has(fact.groupId) ||
    (fact.sessionId !== undefined && groups.has(fact.sessionId));
  for (let size = -1; size < members.size; ) {
    size = members.size;
    for (const fact of all) {
      if (fact.pid === hostPid || members.has(fact.pid) || !isOurs(fact)) continue;
      members.set(fact.pid, fact);
      addGroups(fact);
    }
  }
  return [...members.values()].filter(({ isDead }) => !isDead);
}

function isAmong({ pid, start }: ProcessFact, known: readonly ProcessFact[]): boolean {
  return known.some((one) => one.pid === pid && one.start === start);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended just now, or belongs to another user: nothing more can be done.
  }
}

/** Windows has no groups: there the tree below the process is ended by force, whatever the signal. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  if (process.platform !== "win32") send(-leaderPid, signal);
  else
    childProcesses.spawnSync("taskkill", ["/pid", String(leaderPid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    });
}

/** Whether any process of the group still runs, or is dead and not yet reaped. */
export function isGroupRunning(leaderPid: number): boolean {
  try {
    process.kill(process.platform === "win32" ? leaderPid : -leaderPid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Signals whose default action ends a process without an `exit` event. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Marks our signal listeners, so that several copies of this package recognise each other's. */
const YIELDING = Symbol.for("jackfield.yieldingSignalListener");

/**
 * Calls back synchronously when the host ends, until the returned function is called. It listens to `exit`, and to the signals that would
 * end the host without `exit`: our children lead their own sessions, so the terminal's Ctrl+C does not reach them.
 *
 * If the host handles a signal itself, our listener does nothing, and `exit` follows if the host ends. If nothing else
 * listens, our listener alone would keep the host alive: it calls back, removes itself and raises the signal again.
 */
export function onHostEnd(onEnd: () => void): () => void {
  const onSignal = Object.assign(
    (signal: NodeJS.Signals) => {
      if (hasOtherListeners(signal)) return;
      onEnd();
      stop();
      // Any remaining listener yields as well and is called next. The last one finds itself alone.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    },
    { [YIELDING]: true },
  );
  const stop = () => {
    process.off("exit", onEnd);
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  process.on("exit", onEnd);
  // First in line: a listener added with `once` has removed itself by the time that later ones are called.
  if (process.platform !== "win32")
    for (const signal of ENDING_SIGNALS) process.prependListener(signal, onSignal);
  return stop;
}

/** Whether a listener handles the signal without yielding to the default action. */
function hasOtherListeners(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(YIELDING in listener));
  return others.length > countYieldingLibraryListeners();
}

/**
 * The widespread library `signal-exit` (versions 3 and 4) follows our own rule: it raises the signal again if it finds
 * itself alone. If it counted as a handler of the host, each would wait for the other and the signal would be lost. Both
 * versions publish how many listeners they have per signal.
 */
function countYieldingLibraryListeners(): number {
  const published = [
    (globalThis as { [key: symbol]: unknown })[Symbol.for("signal-exit emitter")],
    (process as { __signal_exit_emitter__?: unknown }).__signal_exit_emitter__,
  ];
  return published.reduce<number>((sum, emitter) => sum + readCount(emitter), 0);
}

function readCount(emitter: unknown): number {
  const count = typeof emitter === "object" && emitter !== null && "count" in emitter ? emitter.count : 0;
  return typeof count === "number" ? count : 0;
}
