/**
 * Modules of Node.js that are not imported. An `import` of one copies all that it exports, and with `node:fs` and `node:crypto`
 * that loads streams and web cryptography, which takes as long as it takes to read all configuration.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** Loaded when it is first asked for: most programs never do. */
export function cryptography(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
