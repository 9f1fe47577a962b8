import type { SourceLocation } from "@jackfield/mcp-core";
import type { DuplicateKey } from "./config-document.ts";
import { type JsonPath, pointerStep } from "./json-path.ts";

/**
 * An object or an array that is being read. It knows its container, so what is found in it need not copy the path: below a long
 * name, each copy would hold that name.
 */
export class JsonFrame {
  /** How many containers are around it. */
  readonly depth: number;
  /** The first offset of each key that occurs more than once. */
  firsts: Map<string, number> | undefined;
  /** The member or element that is being read. */
  key: string | number = "";
  readonly #container: JsonFrame | undefined;
  /** Its own key or index in the container. */
  readonly #step: string | number;
  #pointer: string | undefined;

  constructor(container: JsonFrame | undefined) {
    this.depth = container ? container.depth + 1 : 0;
    this.#container = container;
    this.#step = container?.key ?? "";
  }

  /** The frame it was entered from. */
  left(): JsonFrame | undefined {
    return this.#container;
  }

  pathOf(key: string | number): JsonPath {
    const path = [key];
    for (let frame: JsonFrame = this; frame.#container; frame = frame.#container) path.push(frame.#step);
    return path.reverse();
  }

  pointerOf(key: string | number): string {
    return this.#ownPointer() + pointerStep(key);
  }

  #ownPointer(): string {
    this.#pointer ??= this.#container?.pointerOf(this.#step) ?? "";
    return this.#pointer;
  }
}

/** Finds the place of an offset. */
export type LocateOffset = (offset: number, pointer: string) => SourceLocation;

/** A key that an object has more than once. Its places are looked up where they are asked for; a text can have a million such keys. */
export class RepeatedKey implements DuplicateKey {
  readonly #frame: JsonFrame;
  readonly #key: string;
  readonly #first: number;
  readonly #again: number;
  readonly #locate: LocateOffset;

  constructor(frame: JsonFrame, key: string, first: number, again: number, locate: LocateOffset) {
    this.#frame = frame;
    this.#key = key;
    this.#first = first;
    this.#again = again;
    this.#locate = locate;
  }

  get path(): JsonPath {
    return this.#frame.pathOf(this.#key);
  }

  get first(): SourceLocation {
    return this.#locate(this.#first, this.#frame.pointerOf(this.#key));
  }

  get again(): SourceLocation {
    return this.#locate(this.#again, this.#frame.pointerOf(this.#key));
  }
}
