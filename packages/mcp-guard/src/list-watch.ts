/** Tells where one list of a server's tools ends and the next begins. */
export interface ListWatch {
  /** Whether the tool that is judged now is the first of a list. */
  begins(server: string): boolean;
}

/**
 * A policy gets one tool at a time. A list is judged synchronously, so the tools of a server that are judged before the next
 * microtask belong to the same list.
 *
 * @param complete - called in a microtask after lists were judged, with the names of their servers.
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
