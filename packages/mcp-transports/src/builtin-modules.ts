/**
 * Modules of Node.js that are not imported. An `import` of one copies all that it exports, which loads what hardly anybody uses: of these
 * two that takes longer than loading everything that speaks the protocol over standard streams.
 */
export const childProcesses = process.getBuiltinModule("node:child_process");
export const fileSystem = process.getBuiltinModule("node:fs");
