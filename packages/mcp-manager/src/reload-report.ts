/** What a reload did, by server name. Each server that is configured now stands in exactly one of `added`, `changed` and `kept`. */
export interface ReloadReport {
  /** Configured now and not before, or switched on. */
  readonly added: readonly string[];
  /** No longer configured, or switched off: closed. */
  readonly removed: readonly string[];
  /** Defined otherwise than before. It was connected anew only if what its connection rests on is different. */
  readonly changed: readonly string[];
  /** Defined as before, and not touched; one that had been dropped is tried again. */
  readonly kept: readonly string[];
}
