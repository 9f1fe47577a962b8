/** A moment on the machine's steady clock, which all processes share. It passes as text from one process to the next. */
export function now(): string {
  return process.hrtime.bigint().toString();
}

/** Milliseconds since such a moment. */
export function millisecondsSince(moment: string): number {
  return Number(process.hrtime.bigint() - BigInt(moment)) / 1e6;
}

/** CPU time of this process, all threads, in milliseconds since it began. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
