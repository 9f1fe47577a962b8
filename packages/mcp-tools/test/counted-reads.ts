/** A list or an object, and how often a reader has started to read it. */
export interface CountedReads<T> {
  readonly value: T;
  readonly reads: () => number;
}

/** Counts how often a value's names are listed, or a list's first item is read. */
export function countedReads<T extends object>(content: T): CountedReads<T> {
  let reads = 0;
  const value = new Proxy(content, {
    get(target, name, receiver) {
      if (name === "0") reads += 1;
      return Reflect.get(target, name, receiver);
    },
    ownKeys(target) {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  });
  return { value, reads: () => reads };
}
