import type { Logger } from "@jackfield/mcp-core";

/**
 * Who listens to what. A listener that throws, or whose promise rejects, is logged and disturbs nobody ([S6], [N11]). All hear the same
 * order: what a listener brings about is told when everybody has heard what it heard.
 */
export interface Emitter<Events> {
  /**
   * @param isWanted - which events the listener is for; default all. What it does not want stays for those who do.
   * @returns what ends it, at once: also what is being told just now is not told to it any more
   */
  on<E extends keyof Events>(
    event: E,
    listener: (event: Events[E]) => void,
    isWanted?: (event: Events[E]) => boolean,
  ): () => void;
  emit<E extends keyof Events>(event: E, value: Events[E]): void;
}

/** Of which events those are kept that nobody listens to yet, and how many: then the oldest goes ([N9]). */
export type KeptEvents<Events> = { readonly [E in keyof Events]?: number };

interface Ear {
  hear(value: never): unknown;
  isFor(value: never): boolean;
}

/** What is to be told, and to whom. */
interface News<Events> {
  readonly event: keyof Events;
  readonly value: unknown;
  readonly ears: Iterable<Ear>;
}

/** Who listens to one event, and what nobody has heard yet; `undefined` once somebody has listened to all of it. */
interface Line {
  readonly ears: Set<Ear>;
  missed: readonly unknown[] | undefined;
}

/** @param keep - what is told in order to the first listener that wants it, as soon as there is one */
export function createEmitter<Events>(log: Logger, keep: KeptEvents<Events> = {}): Emitter<Events> {
  const lines = new Map<keyof Events, Line>();
  const lineOf = (event: keyof Events) => {
    const line = lines.get(event) ?? { ears: new Set(), missed: keep[event] === undefined ? undefined : [] };
    lines.set(event, line);
    return line;
  };
  const complain = (event: keyof Events, error: unknown) =>
    log("error", `a listener of "${String(event)}" threw`, { error: String(error) });
  /** Whether the ear wanted it. */
  const tell = (event: keyof Events, { ears }: Line, ear: Ear, value: unknown): boolean => {
    if (!ears.has(ear) || !ear.isFor(value as never)) return false;
    try {
      const returned = ear.hear(value as never);
      if (returned instanceof Promise) returned.catch((error: unknown) => complain(event, error));
    } catch (error) {
      complain(event, error);
    }
    return true;
  };
  const spread = ({ event, value, ears }: News<Events>): void => {
    const line = lineOf(event);
    const most = keep[event];
    const heard = [...ears].filter((ear) => tell(event, line, ear, value));
    if (heard.length === 0 && line.missed !== undefined && most !== undefined)
      line.missed = [...line.missed, value].slice(-most);
  };
  const waiting: News<Events>[] = [];
  let isTelling = false;
  /** Does some telling, and then tells what came of it. */
  const inTurn = (telling: () => void): void => {
    if (isTelling) {
      telling();
      return;
    }
    isTelling = true;
    try {
      telling();
      for (let news = waiting.shift(); news !== undefined; news = waiting.shift()) spread(news);
    } finally {
      isTelling = false;
    }
  };
  return {
    on(event, listener, isWanted) {
      const line = lineOf(event);
      const ear: Ear = { hear: (value) => listener(value), isFor: (value) => isWanted?.(value) ?? true };
      line.ears.add(ear);
      inTurn(() => {
        const left = line.missed?.filter((value) => !tell(event, line, ear, value));
        line.missed = isWanted === undefined ? undefined : left;
      });
      return () => void line.ears.delete(ear);
    },
    emit(event, value) {
      const { ears, missed } = lineOf(event);
      // What is kept is for whoever comes before it is told; everything else for those who are there now.
      const news = { event, value, ears: missed === undefined && isTelling ? [...ears] : ears };
      if (isTelling) waiting.push(news);
      else inTurn(() => spread(news));
    },
  };
}
