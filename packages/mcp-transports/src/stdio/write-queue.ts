import type { Writable } from "node:stream";
import { ChannelFault } from "../channel-fault.ts";
import type { QueueHooks } from "../queueing-transport.ts";

/** What may wait for a process that does not read, in bytes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Short lines are joined up to this size; a longer line is written alone. In bytes. */
const LARGEST_JOINED_BYTES = 256 * 1024;

interface QueuedLine {
  readonly line: string;
  readonly bytes: number;
  readonly hooks: QueueHooks | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Lines on their way to a process, in order. */
export interface WriteQueue {
  /**
   * Resolves when the system has taken the line, or when nobody wants it written any more.
   *
   * @throws ChannelFault `queue-full`, or `unwritable` if the queue ended before the line was written.
   */
  push(line: string, hooks?: QueueHooks): Promise<void>;
  /** Hands what waits to the stream, unless an earlier write still waits for the process to read. */
  flush(): void;
  /** Rejects every line that was not taken. */
  end(): void;
}

interface QueueSettings {
  readonly maxWaitingBytes: number;
  onWriting(): void;
}

export interface WriteQueueOptions {
  readonly maxWaitingBytes?: number | undefined;
  /** Hears of each line that is about to be written. */
  onWriting?(): void;
}

/**
 * Lines of the same tick are joined, because each write costs more than its bytes do. One write is under way at a time: what
 * comes meanwhile waits here, where it is counted and can be taken back. A single line is taken whatever its size, as long as
 * nothing else waits.
 */
export function createWriteQueue(
  stream: Writable,
  { maxWaitingBytes = MAX_WAITING_BYTES, onWriting = () => {} }: WriteQueueOptions = {},
): WriteQueue {
  return new StreamWriteQueue(stream, { maxWaitingBytes, onWriting });
}

class StreamWriteQueue implements WriteQueue {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #onWriting: () => void;
  #waiting: QueuedLine[] = [];
  #waitingBytes = 0;
  #underWay: readonly QueuedLine[] = [];
  #isScheduled = false;
  #isEnded = false;

  constructor(stream: Writable, { maxWaitingBytes, onWriting }: QueueSettings) {
    this.#stream = stream;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#onWriting = onWriting;
  }

  push(line: string, hooks?: QueueHooks): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const bytes = Buffer.byteLength(line);
    if (this.#isEnded || !this.#stream.writable) reject(new ChannelFault({ kind: "unwritable" }));
    else if (!this.#hasRoomFor(bytes))
      reject(new ChannelFault({ kind: "queue-full", limitBytes: this.#maxWaitingBytes }));
    else {
      this.#waiting.push({ line, bytes, hooks, resolve, reject });
      this.#waitingBytes += bytes;
      this.#schedule();
    }
    return promise;
  }

  flush(): void {
    if (this.#isEnded || this.#underWay.length > 0) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#underWay = batch;
    // The stream tells of a failed write by its own error as well, and that ends the queue.
    this.#stream.write(batch.map(({ line }) => line).join(""), (error) => {
      if (!error) this.#finishWrite();
    });
  }

  end(): void {
    this.#isEnded = true;
    const lost = this.#underWay;
    const unsent = this.#waiting;
    this.#underWay = [];
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const { reject } of lost) reject(new ChannelFault({ kind: "write-broken" }));
    for (const { reject } of unsent) reject(new ChannelFault({ kind: "unwritable" }));
  }

  #hasRoomFor(bytes: number): boolean {
    const fits = () => this.#waiting.length === 0 || this.#waitingBytes + bytes <= this.#maxWaitingBytes;
    if (!fits()) this.#dropUnwanted();
    return fits();
  }

  /** Whoever has given up need not be written for. This is looked after only when the room is needed. */
  #dropUnwanted(): void {
    const wanted: QueuedLine[] = [];
    for (const queued of this.#waiting) {
      if (queued.hooks?.isWanted() === false) this.#drop(queued);
      else wanted.push(queued);
    }
    this.#waiting = wanted;
  }

  #drop({ bytes, resolve }: QueuedLine): void {
    this.#waitingBytes -= bytes;
    resolve();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay.length > 0) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** The next lines that fit into one write. From here on each of them counts as written. */
  #takeBatch(): readonly QueuedLine[] {
    const batch: QueuedLine[] = [];
    let taken = 0;
    let batchBytes = 0;
    for (const queued of this.#waiting) {
      if (queued.hooks?.isWanted() === false) this.#drop(queued);
      else {
        if (batchBytes > 0 && batchBytes + queued.bytes > LARGEST_JOINED_BYTES) break;
        batch.push(queued);
        batchBytes += queued.bytes;
      }
      taken += 1;
    }
    this.#waiting.splice(0, taken);
    this.#waitingBytes -= batchBytes;
    for (const { hooks } of batch) {
      hooks?.onWriting();
      this.#onWriting();
    }
    return batch;
  }

  #finishWrite(): void {
    const written = this.#underWay;
    this.#underWay = [];
    for (const { resolve } of written) resolve();
    this.flush();
  }
}
