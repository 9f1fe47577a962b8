/** Runs tasks of the same key one after the other, in the order they came; tasks of different keys run concurrently. */
export interface KeyedQueue {
  /** Resolves or rejects as the task does. A task that fails does not stop the next one. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const turn = before.then(task, task);
      last.set(key, turn);
      try {
        return await turn;
      } finally {
        if (last.get(key) === turn) last.delete(key);
      }
    },
  };
}
