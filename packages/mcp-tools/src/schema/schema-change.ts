/** What was done to a schema at one place. */
export interface SchemaChange {
  /** Where in the server's schema, as a JSON pointer; empty for its root. */
  readonly pointer: string;
  /**
   * `inlined`: a reference was replaced by what it leads to · `rewritten`: the same is said in another way · `removed`: a demand
   * is no longer told to the model, though still checked · `wrapped`: the arguments are one property of the offered root ·
   * `added`: something that providers want was filled in.
   */
  readonly kind: "inlined" | "rewritten" | "removed" | "wrapped" | "added";
  /** Missing where a whole schema is meant. */
  readonly keyword?: string | undefined;
  /** One sentence for people. */
  readonly message: string;
}

/** Collects the changes to a schema. */
export interface ChangeReport {
  readonly changes: readonly SchemaChange[];
  /** How many demands were dropped so far. Keywords that exclude or count must not rest on a schema that lost one. */
  readonly weakened: number;
  add(change: SchemaChange): void;
}

/** Maximum number of changes in a report; further ones are not listed. */
const MAX_CHANGES = 1_000;

/** An empty report. */
export function createChangeReport(): ChangeReport {
  const changes: SchemaChange[] = [];
  let weakened = 0;
  return {
    changes,
    get weakened() {
      return weakened;
    },
    add(change) {
      if (change.kind === "removed") weakened += 1;
      if (changes.length < MAX_CHANGES) changes.push(change);
    },
  };
}
