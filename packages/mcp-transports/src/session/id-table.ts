/** An object that is found by its id. */
export interface Identified {
  id: number;
}

/** Assigns ids, and finds the pending members by them. */
export interface IdTable<T extends Identified> {
  /** Assigns the next free id to the member. */
  add(member: T): void;
  find(id: number): T | undefined;
  /** Finds a member and removes it. */
  take(id: number): T | undefined;
}

/** Ids fit into 32 bits, for servers that read them so, and are far above those of the SDK, which start at 0. */
const FIRST_ID = 1_000_000_000;
const LAST_ID = 2 ** 31 - 1;
const SMALLEST_SIZE = 64;

/**
 * An array in which an id determines the place. An id whose place is taken is skipped, and the array is never more than half
 * full. A `Map` would cost more than the rest of a call's book-keeping; see `createRoster` for why.
 */
export function createIdTable<T extends Identified>(firstId = FIRST_ID): IdTable<T> {
  return new PlacedById<T>(firstId);
}

class PlacedById<T extends Identified> implements IdTable<T> {
  #members: (T | undefined)[] = empty(SMALLEST_SIZE);
  /** The length is a power of two, so the last bits of an id, which this keeps, are its place. */
  #mask = SMALLEST_SIZE - 1;
  #count = 0;
  #nextId: number;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  add(member: T): void {
    if (this.#count * 2 >= this.#members.length) this.#grow();
    let id = this.#nextId;
    while (this.#members[id & this.#mask]) id = id === LAST_ID ? FIRST_ID : id + 1;
    member.id = id;
    this.#members[id & this.#mask] = member;
    this.#count += 1;
    this.#nextId = id === LAST_ID ? FIRST_ID : id + 1;
  }

  find(id: number): T | undefined {
    const member = this.#members[id & this.#mask];
    return member?.id === id ? member : undefined;
  }

  take(id: number): T | undefined {
    const place = id & this.#mask;
    const member = this.#members[place];
    if (member?.id !== id) return undefined;
    this.#members[place] = undefined;
    this.#count -= 1;
    return member;
  }

  /** Ids that differ in their last bits still differ when one more bit counts, so no two members collide. */
  #grow(): void {
    const members = this.#members;
    this.#members = empty(members.length * 2);
    this.#mask = this.#members.length - 1;
    for (const member of members) if (member) this.#members[member.id & this.#mask] = member;
  }
}

function empty<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
