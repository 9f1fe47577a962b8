/**
 * Node.js modules that are not imported. An `import` copies every export and so loads parts that are rarely used; for these two, that
 * takes longer than loading all code of the stdio transport.
 */
export const childProcesses = process.getBuiltinModule("node:child_process");
export const fileSystem = process.getBuiltinModule("node:fs");
