/** Tells where one list of a server's tools ends and the next begins. */
export interface ListWatch {
  /** Whether the tool that is judged now is the first of a list. */
  begins(server: string): boolean;
}

/**
 * A policy is shown one tool after the other. A list is judged in one go, so what is judged in the same turn of the event
 * loop belongs to the same list.
 *
 * @param complete called once after each turn in which lists were judged, with the names of their servers.
 */
export function createListWatch(complete: (servers: ReadonlySet<string>) => void): ListWatch {
  let current = new Set<string>();
  const end = () => {
    const servers = current;
    current = new Set();
    complete(servers);
  };
  return {
    begins(server) {
      if (current.has(server)) return false;
      if (current.size === 0) queueMicrotask(end);
      current.add(server);
      return true;
    },
  };
}
