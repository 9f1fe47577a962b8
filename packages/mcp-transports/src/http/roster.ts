/** Who takes part at present, in no order. */
export interface Roster<T> {
  /** The returned function takes the member away again. Idempotent. */
  add(member: T): () => void;
  find(test: (member: T) => boolean): T | undefined;
  all(): T[];
}

/**
 * For what comes and goes with every call, where a `Set` or a `Map` by id seems to be asked for: V8 builds the table of one anew
 * every few dozen changes and links the old table to the new. Once one of them has grown old, all that follow are kept with
 * everything that was in them until the next full collection, which cost an eighth of the processor time of a call. So this is
 * a list in which the last takes the place of who leaves, and only what is rare has to look for somebody.
 */
export function createRoster<T>(): Roster<T> {
  const entries: { readonly member: T; place: number }[] = [];
  return {
    add(member) {
      const entry = { member, place: entries.length };
      entries.push(entry);
      return () => {
        const { place } = entry;
        const last = place < 0 ? undefined : entries.pop();
        entry.place = -1;
        if (!last || last === entry) return;
        last.place = place;
        entries[place] = last;
      };
    },
    find: (test) => entries.find(({ member }) => test(member))?.member,
    all: () => entries.map(({ member }) => member),
  };
}
