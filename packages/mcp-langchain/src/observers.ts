import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

/** What LangChain said in one asynchronous context. */
interface Answer {
  /** What the context holds, such as the run that is under way in it. */
  readonly context: unknown;
  readonly hasObserver: boolean;
}

/** Its reactions run after those that are due already. */
const DUE = Promise.resolve();

/** The latest answer of this turn of promises. */
let latest: Answer | undefined;

/**
 * Whether anybody observes calls that have no callbacks of their own: a tracer that the environment switches on, or one of the run that
 * is under way. LangChain is asked once for all calls that one turn of promises makes in one context, because it reads six environment
 * variables each time, which takes as long as a quarter of a call. A tracer that is switched on in the middle of a turn is told of
 * the calls of the next one.
 */
export function hasObserver(): boolean {
  const context: unknown = AsyncLocalStorageProviderSingleton.getInstance().getStore();
  if (latest !== undefined && latest.context === context) return latest.hasObserver;
  if (latest === undefined) {
    void DUE.then(() => {
      latest = undefined;
    });
  }
  latest = { context, hasObserver: CallbackManager.configure() !== undefined };
  return latest.hasObserver;
}
