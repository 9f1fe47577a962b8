import type { CodePointTest, ParsedPattern, PatternNode } from "./pattern-syntax.ts";

/** One instruction of a pattern as a program. Targets are indices into the program. */
export type Instruction =
  | { readonly op: "set"; readonly test: CodePointTest }
  /** A set, repeated `min` to `max` times without a loop in the program. */
  | {
      readonly op: "run";
      readonly test: CodePointTest;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    }
  /** Goes on at `first`, and at `second` if that fails. */
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; target: number }
  | { readonly op: "edge"; readonly edge: "start" | "end" | "word" | "no-word" }
  /** Remembers the position. */
  | { readonly op: "mark"; readonly slot: number }
  /** Fails if nothing was matched since the position was remembered: a loop over nothing would never end. */
  | { readonly op: "moved"; readonly slot: number }
  | { readonly op: "back-reference"; readonly slot: number }
  | {
      readonly op: "look";
      readonly program: readonly Instruction[];
      readonly behind: boolean;
      readonly negated: boolean;
    }
  | { readonly op: "match" };

/** A pattern that can be run step by step. */
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  /** How many positions a run remembers. */
  readonly slots: number;
}

/** Maximum length of a program; counted groups are unrolled. */
const MAX_INSTRUCTIONS = 20_000;

/** @returns `undefined` if the program would be too long, or refers to a group that is not there. */
export function compilePattern({ root, groups, groupNames }: ParsedPattern): PatternProgram | undefined {
  const build: Build = { slots: (groups + 1) * 2, written: 0, groupNames };
  try {
    const instructions = programOf(root, build);
    return { instructions, slots: build.slots };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Build {
  slots: number;
  written: number;
  readonly groupNames: ReadonlyMap<string, number>;
}

type Program = Instruction[];

function programOf(root: PatternNode, build: Build): Program {
  const program: Program = [];
  write(root, program, build);
  program.push({ op: "match" });
  return program;
}

function add<I extends Instruction>(program: Program, instruction: I, build: Build): I {
  build.written += 1;
  if (build.written > MAX_INSTRUCTIONS) throw new RangeError("The pattern is too long.");
  program.push(instruction);
  return instruction;
}

function write(node: PatternNode, program: Program, build: Build): void {
  switch (node.kind) {
    case "set":
      add(program, { op: "set", test: node.test }, build);
      return;
    case "sequence":
      for (const item of node.items) write(item, program, build);
      return;
    case "choice":
      writeChoice(node.options, program, build);
      return;
    case "repeat":
      writeRepeat(node, program, build);
      return;
    case "capture":
      add(program, { op: "mark", slot: node.index * 2 }, build);
      write(node.body, program, build);
      add(program, { op: "mark", slot: node.index * 2 + 1 }, build);
      return;
    case "back-reference":
      add(program, { op: "back-reference", slot: groupOf(node.group, build) * 2 }, build);
      return;
    case "edge":
      add(program, { op: "edge", edge: node.edge }, build);
      return;
    case "look": {
      const { behind, negated } = node;
      add(program, { op: "look", program: programOf(node.body, build), behind, negated }, build);
    }
  }
}

function groupOf(group: number | string, { groupNames, slots }: Build): number {
  const index = typeof group === "number" ? group : groupNames.get(group);
  if (index === undefined || index * 2 >= slots) throw new RangeError("There is no such group.");
  return index;
}

function writeChoice(options: readonly PatternNode[], program: Program, build: Build): void {
  const jumps: { target: number }[] = [];
  for (const [index, option] of options.entries()) {
    const isLast = index === options.length - 1;
    const split = isLast
      ? undefined
      : add(program, { op: "split", first: program.length + 1, second: 0 }, build);
    write(option, program, build);
    if (split === undefined) continue;
    jumps.push(add(program, { op: "jump", target: 0 }, build));
    split.second = program.length;
  }
  for (const jump of jumps) jump.target = program.length;
}

type Repeat = Extract<PatternNode, { kind: "repeat" }>;

function writeRepeat({ body, min, max, greedy }: Repeat, program: Program, build: Build): void {
  if (body.kind === "set") {
    add(program, { op: "run", test: body.test, min, max, greedy }, build);
    return;
  }
  for (let count = 0; count < min; count += 1) write(body, program, build);
  if (max === Number.POSITIVE_INFINITY) {
    writeLoop(body, greedy, program, build);
    return;
  }
  const skips: ((target: number) => void)[] = [];
  for (let count = min; count < max; count += 1) {
    skips.push(writeSplit(greedy, program, build));
    write(body, program, build);
  }
  for (const skip of skips) skip(program.length);
}

function writeLoop(body: PatternNode, greedy: boolean, program: Program, build: Build): void {
  const slot = build.slots;
  build.slots += 1;
  const beginning = program.length;
  const skip = writeSplit(greedy, program, build);
  add(program, { op: "mark", slot }, build);
  write(body, program, build);
  add(program, { op: "moved", slot }, build);
  add(program, { op: "jump", target: beginning }, build);
  skip(program.length);
}

/** Writes a choice between going on and skipping; the returned function sets the target of skipping. */
function writeSplit(greedy: boolean, program: Program, build: Build): (target: number) => void {
  const next = program.length + 1;
  const split = add(program, { op: "split", first: next, second: next }, build);
  return (target) => {
    if (greedy) split.second = target;
    else split.first = target;
  };
}
