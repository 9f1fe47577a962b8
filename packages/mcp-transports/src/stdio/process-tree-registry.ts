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
import { createRoster } from "./tree-roster.ts";

/** While servers run it is looked now and then who belongs to whom: soon after a start, and ever more rarely. */
const FIRST_LOOK_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** What a tree is called, and who hears of its troubles. */
export interface TreeLabel {
  readonly server: string;
  readonly command: string;
  readonly log: Logger;
}

/** Knows the process trees that must not outlive the host. */
export interface ProcessTreeRegistry {
  /** Answers for a child that was started `detached`, until its tree has ended. `input` is the child's, if it was taken from it. */
  adopt(child: ChildProcess, label: TreeLabel, input?: Writable | null): ProcessTree;
}

export interface ProcessTreeRegistryOptions {
  readonly table?: ProcessTable | undefined;
  /** Where the trees are written down, for those who come after a host that was killed. */
  readonly recorder?: ProcessRecorder | undefined;
  /** How long each step of an end is waited for. */
  readonly graces?: EndGraces | undefined;
}

/** Makes an empty registry. All trees end with the host, whichever way it ends, unless it is killed. */
export function createProcessTreeRegistry(options: ProcessTreeRegistryOptions = {}): ProcessTreeRegistry {
  return new TreeKeeper(options);
}

interface KeptTree extends TreeLabel {
  readonly members: TreeMembers;
}

class TreeKeeper implements ProcessTreeRegistry {
  readonly #table: ProcessTable;
  readonly #recorder: ProcessRecorder | undefined;
  readonly #graces: EndGraces | undefined;
  readonly #hostEnd = createHostEndWatch(() => this.#killAll());
  readonly #trees = new Set<KeptTree>();
  /** Who outlived even SIGKILL stays written down: whoever comes next may have more luck. */
  readonly #outlived: KeptTree[] = [];
  #nextLook: NodeJS.Timeout | undefined;
  #nextWriting: NodeJS.Immediate | undefined;
  #pauseMs = FIRST_LOOK_MS;

  constructor({ table = createProcessTable(), recorder, graces }: ProcessTreeRegistryOptions) {
    this.#table = table;
    this.#recorder = recorder;
    this.#graces = graces;
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
      graces: this.#graces,
      onReady: () => this.#lookSoon(),
      onEnd: (isGone) => this.#release(kept, isGone),
    });
  }

  /** Nobody else can have the number of a child that Node.js has not reported dead yet. */
  #membersOf(pid: number): TreeMembers {
    const leader = this.#table.inspect(pid);
    if (!leader) return createGroupMembers(pid);
    return createTreeMembers(createRoster({ pid, start: leader.start }), this.#table);
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

  /** Many servers are started in one turn of the event loop, and to write a file takes longer than to read all that they say. */
  #writeDownSoon(log: Logger): void {
    this.#nextWriting ??= setImmediate(() => this.#writeDown(log));
  }

  /** A host works without its record as well, so a fault is only told. */
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
   * A server that dies by itself takes the chain of parents with it, and a host that is killed cannot look any more: what was
   * seen before is all that is known then.
   */
  #lookLater(pauseMs: number): void {
    clearTimeout(this.#nextLook);
    this.#pauseMs = pauseMs;
    this.#nextLook = setTimeout(() => void this.#lookAround(), pauseMs).unref();
  }

  /** A package runner may have taken half a minute to start the server itself: the next look would be as far away. */
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
