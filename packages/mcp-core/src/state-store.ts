/** A small key-value store for state that outlives a run: approvals, pins. Keys are prefixed with their owner and `:`. */
export interface StateStore {
  /** The value, or `undefined` if there is none. */
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  /**
   * Sets a value if the key has none, atomically (`SET key value NX` in Redis). A store that several processes share should have
   * it: without it, some of the first approvals can be lost if processes give them at the same moment.
   *
   * @returns whether it was set; `false` if the key has a value
   */
  setIfMissing?(key: string, value: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Every key that begins with the prefix. */
  keys(prefix: string): Promise<readonly string[]>;
}
