/** An object that can be in one roster at a time. */
export interface RosterMember {
  /** Its index, maintained by the roster; `-1` if it is in none. */
  rosterIndex: number;
}

/** The current members, in no order. */
export interface Roster<T extends RosterMember> {
  readonly size: number;
  add(member: T): void;
  /** Idempotent. */
  remove(member: T): void;
  find(test: (member: T) => boolean): T | undefined;
  all(): T[];
}

/**
 * Holds objects that come and go with every call, in place of a `Set` or a `Map`. V8 rebuilds the table of those every few dozen
 * changes and links the old table to the new one. Once a table is in the old generation, all later ones are kept with their
 * contents until the next full collection, which cost an eighth of the processor time of a call. So this is an array in which
 * the last member takes the place of a removed one. Only rare operations search it.
 */
export function createRoster<T extends RosterMember>(): Roster<T> {
  const members: T[] = [];
  const roster = {
    size: 0,
    add(member: T) {
      member.rosterIndex = members.push(member) - 1;
      roster.size = members.length;
    },
    remove(member: T) {
      const { rosterIndex } = member;
      if (rosterIndex < 0) return;
      // The same steps if the member is the last one itself: code that runs for the first time is compiled again.
      const last = members[members.length - 1] as T;
      members[rosterIndex] = last;
      last.rosterIndex = rosterIndex;
      member.rosterIndex = -1;
      members.pop();
      roster.size = members.length;
    },
    find: (test: (member: T) => boolean) => members.find(test),
    all: () => [...members],
  };
  return roster;
}
