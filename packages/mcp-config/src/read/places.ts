import type { SourceLocation } from "@jackfield/mcp-core";
import { type JsonPath, jsonPointer } from "./json-value.ts";

/** Finds the line and column of a value; of a path that does not exist, those of its deepest existing part. */
export type Places = (path: JsonPath) => SourceLocation;

/** A position in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a value stands: the offset of its key, or of the element itself. A map or a list also has the places of its members. */
export type PlaceTree = number | PlaceBranch;

export interface PlaceBranch {
  offset: number;
  readonly inner: Map<string, PlaceTree> | PlaceTree[];
}

/** The places of a text whose tree is known. */
export function placesIn(file: string, placeOf: (offset: number) => Place, root: PlaceTree): Places {
  return (path) => {
    let offset = offsetOf(root);
    let tree: PlaceTree | undefined = root;
    for (const step of path) {
      tree = memberOf(tree, step);
      if (tree === undefined) break;
      offset = offsetOf(tree);
    }
    return { file, ...placeOf(offset), pointer: jsonPointer(path) };
  };
}

function offsetOf(tree: PlaceTree): number {
  return typeof tree === "number" ? tree : tree.offset;
}

function memberOf(tree: PlaceTree, step: string | number): PlaceTree | undefined {
  if (typeof tree === "number") return undefined;
  const { inner } = tree;
  return Array.isArray(inner) ? inner[Number(step)] : inner.get(String(step));
}

/** Finds line and column of any offset in a text. Lines end with a line feed. */
export function lineFinder(text: string): (offset: number) => Place {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}
