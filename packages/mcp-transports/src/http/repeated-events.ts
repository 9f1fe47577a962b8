/** How many events are remembered. */
const REMEMBERED_EVENTS = 256;

/** The hash of an event's data; `undefined` for an id that several events share, which identifies none of them. */
type Said = string | undefined;

/**
 * Recognises events that a server repeats when a stream is resumed, although only later ones were requested. An id alone is not
 * enough: some servers give each event of a session the same one (the Java SDK's use the session id).
 */
export interface RepeatedEvents {
  /** A connection begins. `isResumed`: the server was asked to resume after an event of an earlier one. */
  begin(isResumed: boolean): void;
  /** Whether an earlier connection has already brought this event. */
  isRepeated(id: string, data: string): boolean;
}

export function createRepeatedEvents(): RepeatedEvents {
  const events = new Map<string, { readonly said: Said; readonly connection: number }>();
  let connection = 0;
  let isResuming = false;
  return {
    begin(isResumed) {
      connection += 1;
      isResuming = isResumed;
    },
    isRepeated(id, data) {
      const said: Said = process.getBuiltinModule("node:crypto").hash("sha1", data);
      const known = events.get(id);
      const isSame = known?.said === said && known.connection !== connection;
      events.set(id, { said: isSame || !known ? said : undefined, connection });
      if (events.size > REMEMBERED_EVENTS) events.delete(events.keys().next().value as string);
      return isSame && isResuming;
    },
  };
}
