import type { Runtime } from "langchain";

/** The last queued call of each node run, keyed by LangGraph's object for that run. */
const turns = new WeakMap<object, Promise<unknown>>();

/**
 * Runs calls that share a node of the graph one after the other, in order: LangGraph matches a node's interrupts and tasks to the
 * checkpoint by their order alone. With `version: "v2"` of `createAgent`, the default, each call has a node of its own and nothing
 * waits; with `v1` all calls of a message share one.
 */
export function inTurn<T>(runtime: Pick<Runtime, "configurable">, run: () => Promise<T>): Promise<T> {
  const node: unknown = runtime.configurable?.__pregel_scratchpad;
  if (typeof node !== "object" || node === null) return run();
  const turn = (turns.get(node) ?? Promise.resolve()).catch(stopAtInterrupt).then(run);
  turns.set(node, turn);
  return turn;
}

/**
 * If the previous call was interrupted, this one stops too: that question is asked first, and the node runs again then. Any other
 * failure concerns the previous call alone.
 */
async function stopAtInterrupt(error: unknown): Promise<void> {
  const { isGraphInterrupt } = await import("@langchain/langgraph");
  if (isGraphInterrupt(error as Error)) throw error;
}
