import { availableParallelism, cpus, loadavg, release } from "node:os";

/** What the figures were measured on. */
export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly cpu: string;
  readonly cpus: number;
  /** The load average of the last minute. */
  readonly loadBefore: number;
  readonly loadAfter: number;
}

/** The load average of the last minute; 0 on Windows, which has none. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

/** Describes this machine. */
export function describeMachine(loadBefore: number): Machine {
  return {
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cpus: availableParallelism(),
    loadBefore,
    loadAfter: currentLoad(),
  };
}
