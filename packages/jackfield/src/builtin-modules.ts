/** `node:util`, fetched instead of imported: an `import` copies every export and so loads inspection and comparison. */
export const nodeUtil = process.getBuiltinModule("node:util");
