import type * as Search from "./index.ts";

/**
 * The search, loaded when it is first used: `searchTools` is synchronous, and most programs never search. This is what Node loads for
 * `@jackfield/mcp-tools/search`. A bundler takes `index.ts` in its place, by the condition `module`, because it could not follow this.
 */
export const createToolSearch: typeof Search.createToolSearch = (settings) =>
  loaded().createToolSearch(settings);

let search: typeof Search | undefined;

function loaded(): typeof Search {
  const { createRequire } = process.getBuiltinModule("node:module");
  search ??= createRequire(import.meta.url)("./index.js") as typeof Search;
  return search;
}
