/** Lets tests wait until a predicate holds. */
export interface Conditions {
  /** Resolves as soon as `test` returns true; it runs now and after each change. Rejects if it throws. */
  until(test: () => boolean): Promise<void>;
  /** Reports that something has changed. */
  check(): void;
}

/** Creates a set of conditions. */
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
