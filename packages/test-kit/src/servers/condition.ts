/** Lets tests wait for what they can only look at. */
export interface Conditions {
  /** Resolves as soon as the test holds; it is asked now and after each change. Rejects if it throws. */
  until(test: () => boolean): Promise<void>;
  /** Says that something has changed. */
  check(): void;
}

/** Makes conditions that nobody waits for yet. */
export function createConditions(): Conditions {
  const checks = new Set<() => void>();
  return {
    until: (test) =>
      new Promise((resolve, reject) => {
        const check = () => {
          try {
            if (!test()) return;
            resolve();
          } catch (error) {
            reject(error);
          }
          checks.delete(check);
        };
        checks.add(check);
        check();
      }),
    check() {
      for (const check of [...checks]) check();
    },
  };
}
