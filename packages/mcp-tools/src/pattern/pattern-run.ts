import type { WorkBudget } from "../schema/work-budget.ts";
import type { Instruction, PatternProgram } from "./pattern-program.ts";

/** A backtracking point. Each further attempt moves `at` by `direction`, until it reaches `lastAt`. */
interface BacktrackPoint {
  readonly pc: number;
  readonly at: number;
  readonly slots: readonly number[];
  readonly lastAt: number;
  readonly direction: 1 | -1 | 0;
}

interface Surroundings {
  readonly text: readonly number[];
  readonly budget: WorkBudget;
}

/** The cost of one step, in units of work. */
const UNITS_PER_STEP = 2;
/** Maximum number of backtracking points at a time; more count as exceeding the budget. */
const MAX_BACKTRACK_POINTS = 100_000;

/**
 * Whether the pattern matches anywhere in the text. Backtracks like every ECMAScript engine, but counts its steps, so that
 * catastrophic backtracking ends the run and does not block the process.
 *
 * @throws WorkExceeded
 */
export function runPattern(program: PatternProgram, text: string, budget: WorkBudget): boolean {
  const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const surroundings = { text: codePoints, budget };
  const slots = new Array<number>(program.slots).fill(-1);
  const [first] = program.instructions;
  const lastStart = first?.op === "edge" && first.edge === "start" ? 0 : codePoints.length;
  for (let start = 0; start <= lastStart; start += 1) {
    if (matchAt(program.instructions, start, slots, surroundings) !== undefined) return true;
  }
  return false;
}

/** The remembered positions of a match that begins at `start` and, if `end` is given, ends there; `undefined` if there is none. */
function matchAt(
  program: readonly Instruction[],
  start: number,
  initialSlots: readonly number[],
  surroundings: Surroundings,
  end?: number,
): readonly number[] | undefined {
  const backtrackPoints: BacktrackPoint[] = [];
  let state: { pc: number; at: number; slots: readonly number[] } | undefined = {
    pc: 0,
    at: start,
    slots: initialSlots,
  };
  while (state !== undefined) {
    surroundings.budget.spend(UNITS_PER_STEP);
    const { pc, at, slots }: { pc: number; at: number; slots: readonly number[] } = state;
    const instruction = program[pc];
    if (instruction === undefined) return undefined;
    if (instruction.op === "match") {
      if (end === undefined || at === end) return slots;
      state = goBack(backtrackPoints);
    } else {
      state = step(instruction, { pc, at, slots }, backtrackPoints, surroundings) ?? goBack(backtrackPoints);
    }
    if (backtrackPoints.length > MAX_BACKTRACK_POINTS) surroundings.budget.spend(Number.POSITIVE_INFINITY);
  }
  return undefined;
}

interface State {
  readonly pc: number;
  readonly at: number;
  readonly slots: readonly number[];
}

function goBack(backtrackPoints: BacktrackPoint[]): State | undefined {
  const point = backtrackPoints.pop();
  if (point === undefined) return undefined;
  if (point.at !== point.lastAt) backtrackPoints.push({ ...point, at: point.at + point.direction });
  return point;
}

function step(
  instruction: Exclude<Instruction, { op: "match" }>,
  { pc, at, slots }: State,
  backtrackPoints: BacktrackPoint[],
  surroundings: Surroundings,
): State | undefined {
  const { text } = surroundings;
  const next = (position: number, remembered = slots): State => ({
    pc: pc + 1,
    at: position,
    slots: remembered,
  });
  switch (instruction.op) {
    case "set": {
      const codePoint = text[at];
      return codePoint !== undefined && instruction.test(codePoint) ? next(at + 1) : undefined;
    }
    case "run":
      return run(instruction, { pc, at, slots }, backtrackPoints, surroundings);
    case "split":
      backtrackPoints.push({ pc: instruction.second, at, slots, lastAt: at, direction: 0 });
      return { pc: instruction.first, at, slots };
    case "jump":
      return { pc: instruction.target, at, slots };
    case "edge":
      return isEdge(instruction.edge, text, at) ? next(at) : undefined;
    case "mark":
      surroundings.budget.spend(slots.length / 16);
      return next(at, slots.with(instruction.slot, at));
    case "moved":
      return slots[instruction.slot] === at ? undefined : next(at);
    case "back-reference":
      return repeatGroup(instruction.slot, { pc, at, slots }, surroundings);
    case "look": {
      const found = look(instruction, at, slots, surroundings);
      if ((found !== undefined) === instruction.negated) return undefined;
      return next(at, found ?? slots);
    }
  }
}

function run(
  { test, min, max, greedy }: Extract<Instruction, { op: "run" }>,
  { pc, at, slots }: State,
  backtrackPoints: BacktrackPoint[],
  { text, budget }: Surroundings,
): State | undefined {
  const furthest = Math.min(text.length, at + max);
  let to = at;
  while (to < furthest && test(text[to] ?? -1)) to += 1;
  budget.spend((to - at) / 4);
  const least = at + min;
  if (to < least) return undefined;
  const [first, lastAt, direction] = greedy ? [to, least, -1 as const] : [least, to, 1 as const];
  if (first !== lastAt) backtrackPoints.push({ pc: pc + 1, at: first + direction, slots, lastAt, direction });
  return { pc: pc + 1, at: first, slots };
}

function repeatGroup(
  slot: number,
  { pc, at, slots }: State,
  { text, budget }: Surroundings,
): State | undefined {
  const from = slots[slot] ?? -1;
  const length = (slots[slot + 1] ?? -1) - from;
  // A group that took no part matches nothing, and so succeeds (ECMAScript, BackreferenceMatcher).
  if (from < 0 || length <= 0) return { pc: pc + 1, at, slots };
  budget.spend(length / 4);
  for (let offset = 0; offset < length; offset += 1)
    if (text[from + offset] !== text[at + offset]) return undefined;
  return { pc: pc + 1, at: at + length, slots };
}

/** A lookbehind succeeds if a match from any start ends at `at`. */
function look(
  { program, behind }: Extract<Instruction, { op: "look" }>,
  at: number,
  slots: readonly number[],
  surroundings: Surroundings,
): readonly number[] | undefined {
  if (!behind) return matchAt(program, at, slots, surroundings);
  for (let start = at; start >= 0; start -= 1) {
    const found = matchAt(program, start, slots, surroundings, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEdge(edge: "start" | "end" | "word" | "no-word", text: readonly number[], at: number): boolean {
  if (edge === "start") return at === 0;
  if (edge === "end") return at === text.length;
  return (isWord(text[at - 1]) !== isWord(text[at])) === (edge === "word");
}

function isWord(codePoint: number | undefined): boolean {
  return codePoint !== undefined && codePoint < 128 && /\w/.test(String.fromCharCode(codePoint));
}
