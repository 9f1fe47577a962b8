/**
 * Modules of Node.js that are not imported. An `import` of one copies all that it exports, and with `node:fs` and `node:crypto`
 * that loads streams and web cryptography, which takes as long as it takes to read a small catalog.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** Loaded when it is first asked for: a program that only imports this package never does. */
export function cryptography(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
