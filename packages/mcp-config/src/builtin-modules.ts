/**
 * Modules of Node.js that are not imported. An `import` copies all exports of a module; for `node:fs` and `node:crypto` that loads
 * streams and web cryptography, which takes as long as reading all configuration.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** Loaded on first use: most programs never need it. */
export function cryptography(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
