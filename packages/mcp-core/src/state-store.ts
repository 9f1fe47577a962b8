/** A small place for what must be remembered between runs: approvals, pins. Keys are namespaced by their owner with `:`. */
export interface StateStore {
  /** The value, or `undefined` if there is none. */
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Every key that begins with the prefix. */
  keys(prefix: string): Promise<readonly string[]>;
}
