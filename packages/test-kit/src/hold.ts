/** A gate that is open unless it is held. */
export interface Hold {
  /** Closes the gate until the returned function is called. Several holds add up. */
  take(): () => void;
  /** Resolves as soon as no hold is left. */
  passed(): Promise<void>;
}

/** Makes an open gate. */
export function createHold(): Hold {
  const held = new Set<Promise<void>>();
  return {
    take() {
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      held.add(gate);
      return () => {
        held.delete(gate);
        release();
      };
    },
    async passed() {
      while (held.size > 0) await Promise.all(held);
    },
  };
}
