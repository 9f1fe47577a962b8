import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import type { Logger } from "@jackfield/mcp-core";
import { createHostEndWatch } from "./host-end-watch.ts";
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
  readonly #hostEnd = createHostEndWatch(() => this.#killAll());
  readonly #trees = new Set<KeptTree>();
  #nextLook: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_LOOK_MS;

  constructor({ table = createProcessTable() }: ProcessTreeRegistryOptions) {
    this.#table = table;
  }

  adopt(child: ChildProcess, label: TreeLabel, input = child.stdin): ProcessTree {
    const members = this.#membersOf(child.pid ?? 0);
    const kept: KeptTree = { ...label, members };
    if (this.#trees.size === 0) this.#hostEnd.start();
    this.#trees.add(kept);
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
    if (!isGone)
      kept.log("warn", "A process of the server has outlived even SIGKILL.", { server: kept.server });
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
  }

  /**
   * Schedules the next scan. A server that dies by itself breaks the chain of parents: then only what was seen before is
   * known.
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
  }
}
