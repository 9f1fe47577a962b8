import type { Writable } from "node:stream";
import { ChannelFault } from "../channel-fault.ts";
import type { QueueHooks, SendFollower } from "../queueing-transport.ts";

/** What may wait for a process that does not read, in bytes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** What each line costs beside its text, in bytes: whoever waits for it is kept, too. */
const LINE_OVERHEAD_BYTES = 256;

/** Short lines are joined up to this size; a longer line is written alone. In bytes. */
const LARGEST_JOINED_BYTES = 256 * 1024;

/** It is joined to a line when the line is written: to a text that is built up, most of what is done with it would be done twice. */
const LINE_END = "\n";

interface QueuedLine {
  readonly line: string;
  readonly bytes: number;
  /** What it counts for while it waits. */
  readonly cost: number;
  readonly follower: LineFollower;
}

/** What becomes of a line. */
export interface LineFollower extends SendFollower {
  /** The system has taken it, or nobody wanted it written any more. */
  onTaken?(): void;
}

/** Lines on their way to a process, in order. */
export interface WriteQueue {
  /**
   * Takes a line without its end. Resolves when the system has taken it, or when nobody wants it written any more.
   *
   * @throws ChannelFault `queue-full`, or `unwritable` if the queue ended before the line was written.
   */
  push(line: string, hooks?: QueueHooks): Promise<void>;
  /** The same without a promise. */
  add(line: string, follower: LineFollower): void;
  /** Somebody whose line waits does not want it written any more. Room is looked for only after that was said. */
  noticeUnwanted(): void;
  /** Hands what waits to the stream, unless an earlier write still waits for the process to read. */
  flush(): void;
  /** Rejects every line that was not taken. */
  end(): void;
}

interface QueueSettings {
  readonly maxWaitingBytes: number;
  readonly lineOverheadBytes: number;
  onWriting(): void;
}

export interface WriteQueueOptions {
  readonly maxWaitingBytes?: number | undefined;
  readonly lineOverheadBytes?: number | undefined;
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
  {
    maxWaitingBytes = MAX_WAITING_BYTES,
    lineOverheadBytes = LINE_OVERHEAD_BYTES,
    onWriting = () => {},
  }: WriteQueueOptions = {},
): WriteQueue {
  return new StreamWriteQueue(stream, { maxWaitingBytes, lineOverheadBytes, onWriting });
}

class StreamWriteQueue implements WriteQueue {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #lineOverheadBytes: number;
  readonly #onWriting: () => void;
  #waiting: QueuedLine[] = [];
  #waitingCost = 0;
  #hasUnwanted = false;
  #underWay: readonly QueuedLine[] = [];
  #isScheduled = false;
  #isEnded = false;

  constructor(stream: Writable, { maxWaitingBytes, lineOverheadBytes, onWriting }: QueueSettings) {
    this.#stream = stream;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#lineOverheadBytes = lineOverheadBytes;
    this.#onWriting = onWriting;
  }

  push(line: string, hooks?: QueueHooks): Promise<void> {
    return new Promise((resolve, reject) =>
      this.add(line, {
        isWanted: () => hooks?.isWanted() !== false,
        onWriting: () => hooks?.onWriting(),
        onTaken: resolve,
        onFailed: reject,
      }),
    );
  }

  add(line: string, follower: LineFollower): void {
    const bytes = Buffer.byteLength(line) + LINE_END.length;
    const cost = bytes + this.#lineOverheadBytes;
    if (this.#isEnded || !this.#stream.writable) {
      follower.onFailed(new ChannelFault({ kind: "unwritable" }));
    } else if (!this.#hasRoomFor(cost)) {
      follower.onFailed(new ChannelFault({ kind: "queue-full", limitBytes: this.#maxWaitingBytes }));
    } else {
      this.#waiting.push({ line, bytes, cost, follower });
      this.#waitingCost += cost;
      this.#schedule();
    }
  }

  noticeUnwanted(): void {
    this.#hasUnwanted = true;
  }

  flush(): void {
    if (this.#isEnded || this.#underWay.length > 0) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#underWay = batch;
    let text = "";
    let bytes = 0;
    // Lists are gone through by their indices here: with 64 calls under way an iterator's results are a twentieth of all that is allocated.
    for (let index = 0; index < batch.length; index += 1) {
      const queued = batch[index] as QueuedLine;
      text += queued.line + LINE_END;
      bytes += queued.bytes;
    }
    // The stream tells of a failed write by its own error as well, and that ends the queue.
    // Where each character is a byte nothing has to be encoded.
    this.#stream.write(text, bytes === text.length ? "latin1" : "utf8", (error) => {
      if (!error) this.#finishWrite();
    });
  }

  end(): void {
    this.#isEnded = true;
    const lost = this.#underWay;
    const unsent = this.#waiting;
    this.#underWay = [];
    this.#waiting = [];
    this.#waitingCost = 0;
    // Whoever ends the queue can first tell them why everything has ended.
    queueMicrotask(() => {
      for (const { follower } of lost) follower.onFailed(new ChannelFault({ kind: "write-broken" }));
      for (const { follower } of unsent) follower.onFailed(new ChannelFault({ kind: "unwritable" }));
    });
  }

  #hasRoomFor(cost: number): boolean {
    const fits = () => this.#waiting.length === 0 || this.#waitingCost + cost <= this.#maxWaitingBytes;
    if (!fits() && this.#hasUnwanted) this.#dropUnwanted();
    return fits();
  }

  /** Whoever has given up need not be written for. This is looked after only when the room is needed. */
  #dropUnwanted(): void {
    this.#hasUnwanted = false;
    const wanted: QueuedLine[] = [];
    for (const queued of this.#waiting) {
      if (!queued.follower.isWanted()) this.#drop(queued);
      else wanted.push(queued);
    }
    this.#waiting = wanted;
  }

  #drop({ cost, follower }: QueuedLine): void {
    this.#waitingCost -= cost;
    follower.onTaken?.();
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
    const waiting = this.#waiting;
    const batch: QueuedLine[] = [];
    let taken = 0;
    let batchBytes = 0;
    for (; taken < waiting.length; taken += 1) {
      const queued = waiting[taken] as QueuedLine;
      if (!queued.follower.isWanted()) this.#drop(queued);
      else {
        if (batchBytes > 0 && batchBytes + queued.bytes > LARGEST_JOINED_BYTES) break;
        batch.push(queued);
        batchBytes += queued.bytes;
        this.#waitingCost -= queued.cost;
      }
    }
    this.#waiting = taken === waiting.length ? [] : waiting.slice(taken);
    for (let index = 0; index < batch.length; index += 1) {
      (batch[index] as QueuedLine).follower.onWriting();
      this.#onWriting();
    }
    return batch;
  }

  #finishWrite(): void {
    const written = this.#underWay;
    this.#underWay = [];
    for (let index = 0; index < written.length; index += 1)
      (written[index] as QueuedLine).follower.onTaken?.();
    this.flush();
  }
}
