import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { ProcessTable } from "./process-table.ts";
import { type EndGraces, endMembers, goneWithin } from "./tree-end.ts";
import type { TreeMembers } from "./tree-members.ts";

/** A child process that leads its own session, and whatever it has started in turn. */
export interface ProcessTree {
  /**
   * The server has answered, so the processes that it needs are running. Has the tree scanned soon, however long the start took.
   */
  becomeReady(): void;
  /**
   * Ends every process of the tree, also those that have left its group: closes its input, then sends SIGTERM, then SIGKILL.
   * Idempotent. `hurry` sends SIGTERM at once, also if a slower end is already under way.
   */
  end(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
}

export interface ProcessTreeOptions {
  readonly members: TreeMembers;
  readonly table: ProcessTable;
  /** The child's standard input. Closing it is the first step. */
  readonly input: Writable | null;
  readonly graces: EndGraces;
  onReady(): void;
  /** Called when the tree has been ended. `isGone` is false if a process has outlived even SIGKILL. */
  onEnd(isGone: boolean): void;
}

/** Takes charge of a child that was started `detached`. */
export function createProcessTree(child: ChildProcess, options: ProcessTreeOptions): ProcessTree {
  return new OwnedTree(child, options);
}

class OwnedTree implements ProcessTree {
  readonly #child: ChildProcess;
  readonly #options: ProcessTreeOptions;
  readonly #hurry = new AbortController();
  #ending: Promise<void> | undefined;

  constructor(child: ChildProcess, options: ProcessTreeOptions) {
    this.#child = child;
    this.#options = options;
  }

  becomeReady(): void {
    if (!this.#ending) this.#options.onReady();
  }

  end(options?: { readonly hurry?: boolean | undefined }): Promise<void> {
    if (options?.hurry) this.#hurry.abort();
    this.#ending ??= this.#endInSteps();
    return this.#ending;
  }

  async #endInSteps(): Promise<void> {
    const { members, table, input, graces, onEnd } = this.#options;
    const wasLeaderGone = this.#isLeaderGone();
    // Before anything ends: a process that left the session is found only while its parents live.
    const isAnybodyLeft = members.look(await table.snapshot());
    input?.end();
    // A server that has died often leaves no process, and the next scan would have to wait.
    if (wasLeaderGone && !isAnybodyLeft) {
      onEnd(true);
      return;
    }
    // One controller for both: nothing but a listener keeps the parts of a joined signal (AbortSignal.any) from being collected.
    const patience = setTimeout(() => this.#hurry.abort(), graces.endOfInputMs);
    await this.#leaderExited(this.#hurry.signal);
    const isGone =
      (await goneWithin(members, table, this.#hurry.signal)) || (await endMembers(members, table, graces));
    clearTimeout(patience);
    // The system reports an end a moment before Node.js does.
    if (isGone) await this.#leaderExited(AbortSignal.timeout(graces.sigkillMs));
    onEnd(isGone);
  }

  #isLeaderGone(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null || signalCode !== null;
  }

  async #leaderExited(patience: AbortSignal): Promise<void> {
    if (this.#isLeaderGone()) return;
    await once(this.#child, "exit", { signal: patience }).catch(() => {});
  }
}
