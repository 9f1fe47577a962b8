/** `node:child_process`, fetched instead of imported: an `import` copies every export and so loads parts that are rarely used. */
export const childProcesses = process.getBuiltinModule("node:child_process");
