import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const TURNS = 10;
const BETWEEN_TURNS_MS = 10;

/**
 * The memory that is held when all that can be freed has been. What ends with the last calls may take some turns of the event loop to
 * do so.
 */
export async function weigh(): Promise<NodeJS.MemoryUsage> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < TURNS; turn += 1) {
    await delay(BETWEEN_TURNS_MS);
    collect();
  }
  return process.memoryUsage();
}
