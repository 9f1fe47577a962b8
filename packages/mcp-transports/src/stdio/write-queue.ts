import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { TransportFault } from "../faults.ts";
import type { SendFollower } from "../transport.ts";

/** What may wait for a process that does not read, in bytes. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** What each line costs besides its text, in bytes: its follower is kept, too. */
const LINE_OVERHEAD_BYTES = 256;

/** Short lines are joined up to this size; a longer line is written alone. In bytes. */
const LARGEST_JOINED_BYTES = 256 * 1024;

/** Appended only when a line is written: work on a string that was put together earlier would mostly be done twice. */
const LINE_END = "\n";

/** Texts are kept up to this size, in bytes. A message that waits behind that is written as text again when there is room. */
const KEPT_TEXT_BYTES = 1024 * 1024;

interface QueuedLine {
  /** Missing while too much waits before it. */
  line: string | undefined;
  bytes: number;
  readonly cost: number;
  readonly format: () => string;
  readonly follower: LineFollower;
}

/** Callbacks about one line. */
export interface LineFollower extends SendFollower {
  /** The system has taken the line, or it was dropped because it was no longer wanted. */
  onTaken?(): void;
}

/**
 * Lines on their way to a process, in order. Those of the same tick are joined, because each write costs more than its bytes do. One write
 * is under way at a time: lines that come meanwhile wait here, where they are counted and can be dropped. A single line is taken
 * whatever its size, as long as nothing else waits.
 */
export class WriteQueue {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #lineOverheadBytes: number;
  #waiting: QueuedLine[] = [];
  #waitingCost = 0;
  #hasUnwanted = false;
  #underWay: readonly QueuedLine[] = [];
  #isScheduled = false;
  #isEnded = false;

  constructor(
    stream: Writable,
    { maxWaitingBytes = MAX_WAITING_BYTES, lineOverheadBytes = LINE_OVERHEAD_BYTES } = {},
  ) {
    this.#stream = stream;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#lineOverheadBytes = lineOverheadBytes;
  }

  /**
   * Takes a line without its line end. Resolves when the system has taken it, or when it was dropped because it was no longer wanted.
   *
   * @throws TransportFault `queue-full`, or if the queue ended, `unwritable` for a line not yet written and `write-broken` for one being
   * written.
   */
  push(line: string): Promise<void> {
    return new Promise((resolve, reject) =>
      this.add(() => line, {
        isWanted: () => true,
        onWriting() {},
        onRefused() {},
        onTaken: resolve,
        onFailed: reject,
      }),
    );
  }

  /**
   * Like `push`, without a promise. `format` makes the line: at once, to learn how long it is, and once more if it has to wait for long, so
   * that what waits is not kept twice. Throws what `format` throws at first.
   */
  add(format: () => string, follower: LineFollower): void {
    const line = format();
    const bytes = Buffer.byteLength(line) + LINE_END.length;
    const cost = bytes + this.#lineOverheadBytes;
    if (this.#isEnded || !this.#stream.writable) {
      follower.onFailed(new TransportFault({ kind: "unwritable" }));
    } else if (this.#waitingCost + cost > this.#maxWaitingBytes && !this.#makeRoom(cost)) {
      follower.onFailed(new TransportFault({ kind: "queue-full", limitBytes: this.#maxWaitingBytes }));
    } else {
      const isKept = this.#waitingCost < KEPT_TEXT_BYTES;
      this.#waiting.push({ line: isKept ? line : undefined, bytes, cost, format, follower });
      this.#waitingCost += cost;
      if (!this.#isScheduled && this.#underWay.length === 0) this.#schedule();
    }
  }

  /** A waiting line is no longer wanted. A full queue looks for lines to drop only after this was called. */
  noticeUnwanted(): void {
    this.#hasUnwanted = true;
  }

  /** Writes the waiting lines to the stream, unless an earlier write still waits for the process to read. */
  flush(): void {
    if (this.#isEnded || this.#underWay.length > 0) return;
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    this.#underWay = batch;
    let text = "";
    let bytes = 0;
    // Index loops here: with 64 calls under way, the results of iterators would be a twentieth of all that is allocated.
    for (let index = 0; index < batch.length; index += 1) {
      const queued = batch[index] as QueuedLine;
      text += queued.line + LINE_END;
      bytes += queued.bytes;
    }
    // A failed write also makes the stream emit an error, and that ends the queue.
    // If each character is one byte, nothing has to be encoded.
    this.#stream.write(text, bytes === text.length ? "latin1" : "utf8", (error) => {
      if (!error) this.#finishWrite();
    });
  }

  /** Rejects every line that the system has not taken. */
  end(): void {
    this.#isEnded = true;
    const lost = this.#underWay;
    const unsent = this.#waiting;
    this.#underWay = [];
    this.#waiting = [];
    this.#waitingCost = 0;
    // Deferred, so that the caller can first tell the followers why everything has ended.
    queueMicrotask(() => {
      for (const { follower } of lost) follower.onFailed(new TransportFault({ kind: "write-broken" }));
      for (const { follower } of unsent) follower.onFailed(new TransportFault({ kind: "unwritable" }));
    });
  }

  /** Returns whether a line fits that did not before. A line that nothing waits before always does. */
  #makeRoom(cost: number): boolean {
    if (this.#waiting.length > 0 && this.#hasUnwanted) this.#dropUnwanted();
    return this.#waiting.length === 0 || this.#waitingCost + cost <= this.#maxWaitingBytes;
  }

  /** Drops lines that are no longer wanted. */
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

  /** Returns whether the line's text is there. */
  #hasText(queued: QueuedLine): boolean {
    if (queued.line !== undefined) return true;
    try {
      queued.line = queued.format();
      queued.bytes = Buffer.byteLength(queued.line) + LINE_END.length;
      return true;
    } catch (error) {
      this.#waitingCost -= queued.cost;
      queued.follower.onFailed(error);
      return false;
    }
  }

  #schedule(): void {
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
        if (batchBytes + queued.bytes > LARGEST_JOINED_BYTES && batchBytes > 0) break;
        if (!this.#hasText(queued)) continue;
        batch.push(queued);
        batchBytes += queued.bytes;
        this.#waitingCost -= queued.cost;
      }
    }
    this.#waiting = taken === waiting.length ? [] : waiting.slice(taken);
    for (let index = 0; index < batch.length; index += 1) (batch[index] as QueuedLine).follower.onWriting();
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

/**
 * JSON allows these two characters in a string, but many servers read lines with a reader that takes them for line ends. A pattern
 * rejects a text that cannot hold them without searching it; `String.prototype.includes` takes longer for that than `JSON.stringify`
 * for a call.
 */
const SEPARATOR = /[\u2028\u2029]/;
const SEPARATORS = /[\u2028\u2029]/g;

const LONGEST_TEXT = process.getBuiltinModule("node:buffer").constants.MAX_STRING_LENGTH;

/**
 * A message as one line, without the line end.
 *
 * @throws TransportFault `unserializable`.
 */
export function formatLine(message: JSONRPCMessage): string {
  try {
    const text = JSON.stringify(message);
    const line = SEPARATOR.test(text) ? text.replace(SEPARATORS, escaped) : text;
    // With its line end, it would be longer than the engine lets a string be.
    if (line.length === LONGEST_TEXT) throw new RangeError("Invalid string length");
    return line;
  } catch (error) {
    throw new TransportFault({ kind: "unserializable" }, { cause: error });
  }
}

function escaped(character: string): string {
  return character === "\u2028" ? "\\u2028" : "\\u2029";
}
