import type { JsonPath } from "./json-path.ts";

/**
 * A value of a document with its position in the text. Each value knows its own members: a table of all paths would hold every
 * key once more for everything below it.
 */
export class PlacedValue {
  /** How many steps lead to it from the root. */
  readonly depth: number;
  /** Of its key, or of the element itself; `undefined` if the text does not show it. */
  offset: number | undefined;
  /** The spelling of a number. */
  written: string | undefined;
  readonly #key: string | number;
  readonly #container: PlacedValue | undefined;
  /** A single member needs no map, which is several times its size. */
  #members: Map<string, PlacedValue> | PlacedValue | undefined;

  constructor(container?: PlacedValue, key: string | number = "") {
    this.depth = container ? container.depth + 1 : 0;
    this.#container = container;
    this.#key = key;
  }

  /** A member or an element, which is added if it is not known. */
  enter(key: string | number): PlacedValue {
    const name = String(key);
    const known = this.#member(name);
    if (known) return known;
    const member = new PlacedValue(this, key);
    const members = this.#members;
    if (members instanceof PlacedValue) {
      this.#members = new Map([
        [String(members.#key), members],
        [name, member],
      ]);
    } else if (members) members.set(name, member);
    else this.#members = member;
    return member;
  }

  #member(name: string): PlacedValue | undefined {
    const members = this.#members;
    if (members instanceof PlacedValue) return String(members.#key) === name ? members : undefined;
    return members?.get(name);
  }

  /** The way to it from the root. */
  path(): JsonPath {
    const path: (string | number)[] = [];
    for (let value: PlacedValue = this; value.#container; value = value.#container) path.unshift(value.#key);
    return path;
  }

  /** The offset of what a path leads to, or of the deepest part of the path that has one. */
  offsetOf(path: JsonPath): number {
    let offset = this.offset ?? 0;
    let value: PlacedValue | undefined = this;
    for (const step of path) {
      value = value.#member(String(step));
      if (!value) break;
      offset = value.offset ?? offset;
    }
    return offset;
  }
}
