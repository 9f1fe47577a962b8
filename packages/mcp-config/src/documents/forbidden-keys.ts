import type { SourceLocation } from "@jackfield/mcp-core";
import { MOST_REPORTED_KEYS } from "./document-limits.ts";

/** The `__proto__` keys of a document: the places of the first 100, and how many there are. */
export class ForbiddenKeys {
  readonly places: SourceLocation[] = [];
  count = 0;

  add(locate: () => SourceLocation): void {
    this.count += 1;
    if (this.places.length < MOST_REPORTED_KEYS) this.places.push(locate());
  }
}
