import type { Running } from "./clients/client.ts";

/** Makes a call and makes sure that the answer belongs to it: a client that is fast and wrong is not measured. */
export async function checkedCall(running: Running, text: string): Promise<void> {
  const answer = await running.call(text);
  if (answer !== text) throw new Error(`A call with "${text}" was answered with "${answer}".`);
}
