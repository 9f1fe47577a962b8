/** An object that is found by its id. */
export interface Identified {
  id: number;
}

/** Assigns ids, and finds the pending members by them. */
export interface IdTable<T extends Identified> {
  /** Assigns the next free id to the member. */
  add(member: T): void;
  find(id: number): T | undefined;
  /** Returns whether the member was in the table. */
  remove(member: T): boolean;
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
  /** Its length is a power of two, so that an id's last bits are its place. */
  #members: (T | undefined)[] = empty(SMALLEST_SIZE);
  #count = 0;
  #nextId: number;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  add(member: T): void {
    if (this.#count * 2 >= this.#members.length) this.#grow();
    while (this.#members[this.#placeOf(this.#nextId)]) this.#passOver();
    member.id = this.#nextId;
    this.#members[this.#placeOf(member.id)] = member;
    this.#count += 1;
    this.#passOver();
  }

  find(id: number): T | undefined {
    const member = this.#members[this.#placeOf(id)];
    return member?.id === id ? member : undefined;
  }

  remove(member: T): boolean {
    if (this.find(member.id) !== member) return false;
    this.#members[this.#placeOf(member.id)] = undefined;
    this.#count -= 1;
    return true;
  }

  /** Ids that differ in their last bits still differ when one more bit counts, so no two members collide. */
  #grow(): void {
    const members = this.#members;
    this.#members = empty(members.length * 2);
    for (const member of members) if (member) this.#members[this.#placeOf(member.id)] = member;
  }

  #placeOf(id: number): number {
    return id & (this.#members.length - 1);
  }

  #passOver(): void {
    this.#nextId = this.#nextId === LAST_ID ? FIRST_ID : this.#nextId + 1;
  }
}

function empty<T>(size: number): (T | undefined)[] {
  return new Array<T | undefined>(size).fill(undefined);
}
