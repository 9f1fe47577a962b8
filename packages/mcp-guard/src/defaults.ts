/**
 * The guards that a runtime uses by default, as an entry of their own for programs that should load nothing else at start. The
 * package's main entry exports them too.
 */
export { cleanTools } from "./cleaning/clean-tools.ts";
export { limitResults } from "./size/limit-results.ts";
