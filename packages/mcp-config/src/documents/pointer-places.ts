import type { SourceLocation } from "@jackfield/mcp-core";
import { type JsonPath, jsonPointer } from "./json-path.ts";

/** A position in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Positions by JSON pointer. */
export type PointerPlaces = ReadonlyMap<string, Place>;

/** The place of a path, or of the deepest part of it that has one. */
export function locateByPointer(file: string, places: PointerPlaces, path: JsonPath): SourceLocation {
  const pointer = jsonPointer(path);
  for (let length = path.length; length > 0; length -= 1) {
    const place = places.get(jsonPointer(path.slice(0, length)));
    if (place) return { file, ...place, pointer };
  }
  return { file, ...(places.get("") ?? { line: 1, column: 1 }), pointer };
}
