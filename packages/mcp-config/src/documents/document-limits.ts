/** Deeper than any real configuration, and shallow enough for every recursive reader. */
export const DEEPEST_NESTING = 64;

/** How many repeated or forbidden keys of a file are reported one by one. A file can hold a million of them. */
export const MOST_REPORTED_KEYS = 100;

/** A key that the program the file was written for would take for the prototype of its object (threat T11). */
export const FORBIDDEN_KEY = "__proto__";
