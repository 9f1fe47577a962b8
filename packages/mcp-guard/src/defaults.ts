/**
 * What a runtime puts between a model and its servers unless it is told otherwise, for programs that should load nothing else at
 * their start. All of it is exported by the package itself as well.
 */
export { cleanTools } from "./cleaning/clean-tools.ts";
export { limitResults } from "./size/limit-results.ts";
