/**
 * Modules of Node.js that are not imported. An `import` of one copies all that it exports, and with `node:fs` and `node:crypto`
 * that loads streams and web cryptography, which takes as long as it takes to read a small catalog.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** Loaded with the package: no entry can be read without it, and whoever waits for entries should not wait for this as well. */
export const cryptography = process.getBuiltinModule("node:crypto");
