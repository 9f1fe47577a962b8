/** Deeper than any real configuration, and shallow enough for every recursive reader. */
export const DEEPEST_NESTING = 64;

/** A key that the program the file was written for would take for the prototype of its object (threat T11). */
export const FORBIDDEN_KEY = "__proto__";
