import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How a server behaves from its next start on. */
export interface Behaviour {
  /** It answers nothing before so many milliseconds have passed. */
  readonly delayMs?: number | undefined;
  /** It never answers anything. */
  readonly hangs?: boolean | undefined;
}

/** A start that a server wrote down. */
export interface NotedStart {
  readonly name: string;
  readonly pid: number;
  /** When its process began, on the clock that all processes share, in nanoseconds. */
  readonly at: bigint;
}

/** Writes down that this process is the server of that name. */
export function noteStart(directory: string, name: string): void {
  const at = process.hrtime.bigint() - BigInt(Math.round(process.uptime() * 1e9));
  appendFileSync(startsIn(directory), `${process.pid} ${at} ${name}\n`);
}

/** The starts that were written down, the earliest first. */
export function readStarts(directory: string): NotedStart[] {
  const file = startsIn(directory);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [pid = "", at = "", ...name] = line.split(" ");
      return { pid: Number(pid), at: BigInt(at), name: name.join(" ") };
    });
}

/** How the server of that name is to behave. */
export function readBehaviour(directory: string, name: string): Behaviour {
  const file = behaviourIn(directory, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Behaviour) : {};
}

/** Forgets every start, and makes all servers behave well but those whose behaviour is given under their names. */
export function renewNotes(directory: string, behaviours: Readonly<Record<string, Behaviour>> = {}): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [name, behaviour] of Object.entries(behaviours))
    writeFileSync(behaviourIn(directory, name), JSON.stringify(behaviour));
}

function startsIn(directory: string): string {
  return join(directory, "starts");
}

function behaviourIn(directory: string, name: string): string {
  return join(directory, `${name}.json`);
}
