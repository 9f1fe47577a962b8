/** Whoever can stand in a roster, in one at a time. */
export interface RosterMember {
  /** Where it stands; kept by the roster. `-1`: in none. */
  place: number;
}

/** Who takes part at present, in no order. */
export interface Roster<T extends RosterMember> {
  readonly size: number;
  add(member: T): void;
  /** Idempotent. */
  remove(member: T): void;
  find(test: (member: T) => boolean): T | undefined;
  all(): T[];
}

/**
 * For what comes and goes with every call, where a `Set` or a `Map` by id seems to be asked for: V8 builds the table of one anew
 * every few dozen changes and links the old table to the new. Once one of them has grown old, all that follow are kept with
 * everything that was in them until the next full collection, which cost an eighth of the processor time of a call. So this is
 * a list in which the last takes the place of who leaves, and only what is rare has to look for somebody.
 */
export function createRoster<T extends RosterMember>(): Roster<T> {
  const members: T[] = [];
  return {
    get size() {
      return members.length;
    },
    add(member) {
      member.place = members.push(member) - 1;
    },
    remove(member) {
      const { place } = member;
      if (place < 0) return;
      member.place = -1;
      const last = members.pop();
      if (!last || last === member) return;
      last.place = place;
      members[place] = last;
    },
    find: (test) => members.find(test),
    all: () => [...members],
  };
}
