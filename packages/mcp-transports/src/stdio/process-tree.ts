import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { ProcessTable } from "./process-table.ts";
import { END_GRACES, type EndGraces, endMembers, goneWithin } from "./tree-end.ts";
import type { TreeMembers } from "./tree-members.ts";

/** A child process that leads its own session, and whatever it has started in turn. */
export interface ProcessTree {
  /** The server speaks: whoever it has started to get there can be seen soon, however long that took. */
  becomeReady(): void;
  /**
   * Ends every process of the tree, also those that have left its group: its input is closed, then it is asked to stop, then
   * it is stopped. Idempotent. `hurry` asks at once, also if a slower end is already under way.
   */
  end(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
}

export interface ProcessTreeOptions {
  readonly members: TreeMembers;
  readonly table: ProcessTable;
  /** The input of the child, whose end is the first step. */
  readonly input: Writable | null;
  readonly graces?: EndGraces | undefined;
  onReady(): void;
  /** Hears that the end is over. `isGone` is false if somebody has outlived even SIGKILL. */
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
    const { members, table, input, graces = END_GRACES, onEnd } = this.#options;
    const wasLeaderGone = this.#isLeaderGone();
    // While the parents still live that lead to whoever has left the session.
    const isAnybodyLeft = members.look(await table.snapshot());
    input?.end();
    // Of a server that has died there is often nobody left, and the next scan would have to wait.
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
    // The system knows of an end a moment before this process has heard of it.
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
