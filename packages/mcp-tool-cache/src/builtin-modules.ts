/**
 * Modules of Node.js that are not imported. An `import` copies all exports of a module; for `node:fs` and `node:crypto` that loads
 * streams and web cryptography, which takes as long as reading a small catalog.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** Loaded with the package: no entry can be read without it, and the first read should not wait for it. */
export const cryptography = process.getBuiltinModule("node:crypto");
