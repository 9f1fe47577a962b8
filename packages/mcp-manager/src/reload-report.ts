/**
 * The result of a reload, by server name. Each configured server that is switched on is in exactly one of `added`, `changed` and
 * `kept`.
 */
export interface ReloadReport {
  /** Configured now and not before, or switched on. */
  readonly added: readonly string[];
  /** No longer configured, or switched off: closed. */
  readonly removed: readonly string[];
  /** Defined differently than before. Reconnected only if something its connection depends on changed. */
  readonly changed: readonly string[];
  /** Defined as before and not touched, except that a dropped server is tried again. */
  readonly kept: readonly string[];
}
