import type { Socket } from "node:net";
import type { TcpDirectionPlan } from "./tcp-connection-plan.ts";

/** What a direction needs from its connection. */
export interface TcpDirectionEnds {
  readonly from: Socket;
  readonly to: Socket;
  cut(): void;
  /** Called after each piece that was passed on. */
  onPassed(): void;
}

/** One direction of a connection. */
export interface TcpDirection {
  readonly passedBytes: number;
  /** Holds back everything that has not been passed on yet. */
  stall(): void;
  /** Ends `stall`. */
  resume(): void;
  /** Swallows everything from now on, irreversibly. */
  swallow(): void;
  /** Drops data that is held back or delayed. */
  stop(): void;
}

/** Passes data from one socket to the other, as the plan says. */
export function createTcpDirection(ends: TcpDirectionEnds, plan: TcpDirectionPlan): TcpDirection {
  return new PlannedDirection(ends, plan);
}

/** A piece of the received data, or its end. */
type Received = Buffer | "end";

class PlannedDirection implements TcpDirection {
  passedBytes = 0;
  readonly #ends: TcpDirectionEnds;
  readonly #plan: TcpDirectionPlan;
  readonly #timers = new Set<NodeJS.Timeout | NodeJS.Immediate>();
  #queue: Received[] = [];
  #isStalled = false;
  #isPassScheduled = false;
  #isSwallowing = false;

  constructor(ends: TcpDirectionEnds, plan: TcpDirectionPlan) {
    this.#ends = ends;
    this.#plan = plan;
    ends.from.on("data", (bytes) => this.#receive(bytes));
    ends.from.on("end", () => this.#receive("end"));
    ends.to.on("drain", () => this.#readOn());
  }

  stall(): void {
    this.#isStalled = true;
    this.#ends.from.pause(); // puts backpressure on the sender, as a real network would
  }

  resume(): void {
    this.#isStalled = false;
    this.#passQueued();
    this.#readOn();
  }

  swallow(): void {
    this.#isSwallowing = true;
    this.stop();
    this.#readOn();
  }

  stop(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer as NodeJS.Timeout);
      clearImmediate(timer as NodeJS.Immediate);
    }
    this.#timers.clear();
    this.#queue = [];
  }

  #receive(received: Received): void {
    if (this.#isSwallowing) return;
    const { delayMs = 0 } = this.#plan;
    if (delayMs === 0) this.#enqueue(received);
    else
      this.#after(
        (done) => setTimeout(done, delayMs),
        () => this.#enqueue(received),
      );
  }

  #enqueue(received: Received): void {
    const { chunkBytes = Number.POSITIVE_INFINITY } = this.#plan;
    if (received === "end" || received.length <= chunkBytes) this.#queue.push(received);
    else
      for (let start = 0; start < received.length; start += chunkBytes) {
        this.#queue.push(received.subarray(start, start + chunkBytes));
      }
    if (!this.#isPassScheduled) this.#passQueued();
  }

  #passQueued(): void {
    this.#isPassScheduled = false;
    while (!this.#isStalled && this.#queue.length > 0) {
      this.#pass(this.#queue.shift() as Received);
      if (this.#plan.chunkBytes === undefined || this.#queue.length === 0) continue;
      this.#isPassScheduled = true;
      this.#after(setImmediate, () => this.#passQueued());
      return;
    }
  }

  #pass(received: Received): void {
    const { from, to } = this.#ends;
    if (received === "end") {
      to.end();
      return;
    }
    const { cutAtByte = Number.POSITIVE_INFINITY, swallowFromByte = Number.POSITIVE_INFINITY } = this.#plan;
    const limit = Math.min(cutAtByte, swallowFromByte);
    const piece = received.subarray(0, limit - this.passedBytes);
    this.passedBytes += piece.length;
    if (piece.length > 0 && !to.write(piece)) from.pause();
    if (this.passedBytes >= cutAtByte) this.#ends.cut();
    else if (this.passedBytes >= swallowFromByte) this.swallow();
    this.#ends.onPassed();
  }

  #readOn(): void {
    if (this.#isSwallowing || !this.#isStalled) this.#ends.from.resume();
  }

  #after(schedule: (act: () => void) => NodeJS.Timeout | NodeJS.Immediate, act: () => void): void {
    const timer = schedule(() => {
      this.#timers.delete(timer);
      act();
    });
    this.#timers.add(timer);
  }
}
