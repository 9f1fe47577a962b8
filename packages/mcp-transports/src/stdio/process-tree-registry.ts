import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { type Logger, thrownText } from "@jackfield/mcp-core";
import { createHostEndWatch } from "./host-end-watch.ts";
import type { RecordedTree } from "./process-record.ts";
import type { ProcessRecorder } from "./process-recorder.ts";
import { createProcessTable, type ProcessTable } from "./process-table.ts";
import { createProcessTree, type ProcessTree } from "./process-tree.ts";
import { type EndGraces, killAtOnce } from "./tree-end.ts";
import { createGroupMembers, createTreeMembers, type TreeMembers } from "./tree-members.ts";
import { createTreeRoster } from "./tree-roster.ts";

/** While servers run, their trees are scanned: soon after a start, then ever more rarely. */
const FIRST_LOOK_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** What a tree is called, how it is ended, and the log for its problems. */
export interface TreeLabel {
  readonly server: string;
  readonly command: string;
  readonly graces: EndGraces;
  readonly log: Logger;
}

/** Knows the process trees that must not outlive the host. */
export interface ProcessTreeRegistry {
  /** Takes charge of a `detached` child until its tree has ended. `input`: the child's, if it was removed from `child.stdin`. */
  adopt(child: ChildProcess, label: TreeLabel, input?: Writable | null): ProcessTree;
}

export interface ProcessTreeRegistryOptions {
  readonly table?: ProcessTable | undefined;
  /** Records the trees, so that they can be found after the host was killed. */
  readonly recorder?: ProcessRecorder | undefined;
}

/** Makes an empty registry. All trees end with the host, however it ends, unless it is killed. */
export function createProcessTreeRegistry(options: ProcessTreeRegistryOptions = {}): ProcessTreeRegistry {
  return new TreeKeeper(options);
}

interface KeptTree extends TreeLabel {
  readonly members: TreeMembers;
}

class TreeKeeper implements ProcessTreeRegistry {
  readonly #table: ProcessTable;
  readonly #recorder: ProcessRecorder | undefined;
  readonly #hostEnd = createHostEndWatch(() => this.#killAll());
  readonly #trees = new Set<KeptTree>();
  /** Trees that outlived even SIGKILL. They stay in the record, so that a later host can try to end them. */
  readonly #outlived: KeptTree[] = [];
  #nextLook: NodeJS.Timeout | undefined;
  #nextWriting: NodeJS.Immediate | undefined;
  #pauseMs = FIRST_LOOK_MS;

  constructor({ table = createProcessTable(), recorder }: ProcessTreeRegistryOptions) {
    this.#table = table;
    this.#recorder = recorder;
  }

  adopt(child: ChildProcess, label: TreeLabel, input = child.stdin): ProcessTree {
    const members = this.#membersOf(child.pid ?? 0);
    const kept: KeptTree = { ...label, members };
    if (this.#trees.size === 0) this.#hostEnd.start();
    this.#trees.add(kept);
    this.#writeDownSoon(label.log);
    this.#lookLater(FIRST_LOOK_MS);
    return createProcessTree(child, {
      members,
      table: this.#table,
      input,
      graces: label.graces,
      onReady: () => this.#lookSoon(),
      onEnd: (isGone) => this.#release(kept, isGone),
    });
  }

  /** The number still belongs to the child: it is not reused before Node.js has reported the child dead. */
  #membersOf(pid: number): TreeMembers {
    const leader = this.#table.inspect(pid);
    if (!leader) return createGroupMembers(pid);
    return createTreeMembers(createTreeRoster({ pid, start: leader.start }), this.#table);
  }

  #release(kept: KeptTree, isGone: boolean): void {
    this.#trees.delete(kept);
    if (!isGone) this.#outlived.push(kept);
    this.#writeDown(kept.log);
    if (this.#trees.size > 0) return;
    this.#hostEnd.stop();
    clearTimeout(this.#nextLook);
  }

  #killAll(): void {
    const trees = [...this.#trees];
    killAtOnce(
      trees.map(({ members }) => members),
      this.#table,
    );
    this.#trees.clear();
    this.#writeDown(trees[0]?.log);
  }

  /** Deferred: many servers start in one turn of the event loop, and writing the file takes longer than reading their output. */
  #writeDownSoon(log: Logger): void {
    this.#nextWriting ??= setImmediate(() => this.#writeDown(log));
  }

  /** A host works without its record as well, so an error is only logged. */
  #writeDown(log: Logger | undefined): void {
    clearImmediate(this.#nextWriting);
    this.#nextWriting = undefined;
    const recorded = [...this.#trees, ...this.#outlived].map(
      ({ server, command, members }): RecordedTree => ({ server, command, processes: members.current() }),
    );
    try {
      this.#recorder?.save(recorded);
    } catch (error) {
      log?.("warn", "The record of running servers could not be written.", { error: thrownText(error) });
    }
  }

  /**
   * Schedules the next scan. A server that dies by itself breaks the chain of parents, and a killed host cannot scan any more; then
   * only what was seen before is known.
   */
  #lookLater(pauseMs: number): void {
    clearTimeout(this.#nextLook);
    this.#pauseMs = pauseMs;
    this.#nextLook = setTimeout(() => void this.#lookAround(), pauseMs).unref();
  }

  /** A package runner may have taken half a minute to start the server itself. The next scan would then be as far away. */
  #lookSoon(): void {
    if (this.#pauseMs > FIRST_LOOK_MS) this.#lookLater(FIRST_LOOK_MS);
  }

  async #lookAround(): Promise<void> {
    this.#lookLater(Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS));
    const snapshot = await this.#table.snapshot();
    if (this.#trees.size === 0) return;
    for (const { members } of this.#trees) members.look(snapshot);
    this.#writeDown(undefined);
  }
}
