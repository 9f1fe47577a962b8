/** Refusals below 500 that pass by themselves. */
const PASSING = new Set([408, 409, 425, 429]);

/** Whether what is refused with the status may be taken a little later, though nobody has done anything about it. */
export function isPassing(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}
