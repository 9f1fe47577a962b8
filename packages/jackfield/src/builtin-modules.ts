/**
 * Node.js modules that are not imported. An `import` copies every export and so runs their lazy getters: `node:fs` then loads streams, and
 * `node:util` loads inspection and comparison. That takes longer than most commands.
 */
export const fileSystem = process.getBuiltinModule("node:fs");
export const nodeUtil = process.getBuiltinModule("node:util");
