import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { isGroupRunning, signalGroup } from "./process-group.ts";
import type { ProcessTreeRegistry } from "./process-tree-registry.ts";

/** How long each step of an end is waited for, in milliseconds: 2.5 s in all. */
const END_OF_INPUT_GRACE_MS = 1000;
const SIGTERM_GRACE_MS = 1000;
const SIGKILL_GRACE_MS = 500;
const POLL_MS = 20;

/** A child process that leads its own group, and whatever it has started in turn. */
export interface ProcessTree {
  /**
   * Ends every process of the tree: its input is closed, then it is asked to stop, then it is stopped. Idempotent.
   * `hurry` asks at once, also if a slower end is already under way.
   */
  end(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
  /** Stops every process now, without waiting: for the moment in which the host itself ends. */
  killNow(): void;
}

/** Takes charge of a child that was started `detached`; the registry knows of it until it has ended. */
export function createProcessTree(child: ChildProcess, registry: ProcessTreeRegistry): ProcessTree {
  const tree = new OwnedTree(child, registry);
  registry.add(tree);
  return tree;
}

class OwnedTree implements ProcessTree {
  readonly #child: ChildProcess;
  readonly #registry: ProcessTreeRegistry;
  readonly #hurry = new AbortController();
  #ending: Promise<void> | undefined;
  #isGone = false;

  constructor(child: ChildProcess, registry: ProcessTreeRegistry) {
    this.#child = child;
    this.#registry = registry;
  }

  end(options?: { readonly hurry?: boolean | undefined }): Promise<void> {
    if (options?.hurry) this.#hurry.abort();
    this.#ending ??= this.#endInSteps();
    return this.#ending;
  }

  killNow(): void {
    this.#signal("SIGKILL");
  }

  async #endInSteps(): Promise<void> {
    this.#child.stdin?.end();
    if (!(await this.#goneWithin(END_OF_INPUT_GRACE_MS, this.#hurry.signal))) {
      this.#signal("SIGTERM");
      if (!(await this.#goneWithin(SIGTERM_GRACE_MS))) {
        this.#signal("SIGKILL");
        await this.#goneWithin(SIGKILL_GRACE_MS);
      }
    }
    this.#registry.remove(this);
  }

  /** A group that was once found empty is never signalled again: its number may belong to somebody else by now. */
  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#isGone) signalGroup(pid, signal);
  }

  async #goneWithin(graceMs: number, cutShort?: AbortSignal): Promise<boolean> {
    const grace = AbortSignal.timeout(graceMs);
    const patience = cutShort ? AbortSignal.any([grace, cutShort]) : grace;
    await this.#leaderExited(patience);
    while (!this.#checkGone()) {
      if (patience.aborted) return false;
      await pause(POLL_MS);
    }
    return true;
  }

  async #leaderExited(patience: AbortSignal): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    await once(this.#child, "exit", { signal: patience }).catch(() => {});
  }

  #checkGone(): boolean {
    const { pid } = this.#child;
    this.#isGone ||= pid === undefined || !isGroupRunning(pid);
    return this.#isGone;
  }
}
