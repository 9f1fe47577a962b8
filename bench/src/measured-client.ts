import type { BenchClient, Running, ServerUnderTest, StartOptions } from "./clients/client.ts";

/** How much of an answer those must give that keep a part of it from a model. */
const BEGINNING = 64;

/** A client as it is measured. */
export type MeasuredClient = Required<BenchClient>;

/** Starts a client; every answer of it is compared with what was sent: one that is fast and wrong is not measured. */
export async function startChecked(
  client: MeasuredClient,
  servers: readonly ServerUnderTest[],
  options?: StartOptions,
): Promise<CheckedClient> {
  const running = await client.start(servers, options);
  return {
    running,
    async call(text, repeat = 1) {
      const answer = await running.call(text, repeat);
      if (isAnswer(answer, text, client.isForModels ? 1 : repeat)) return;
      throw new Error(
        `A call with "${text.slice(0, BEGINNING)}" was answered with "${answer.slice(0, BEGINNING)}".`,
      );
    },
  };
}

/** A client that was started. */
export interface CheckedClient {
  readonly running: Running;
  /** Makes a call. Throws if the answer is not the text, so often repeated. */
  call(text: string, repeat?: number): Promise<void>;
}

/** Real servers write something before the text, adapters something after it. Long answers are known by their length and both ends. */
function isAnswer(answer: string, text: string, repeat: number): boolean {
  if (repeat === 1) return answer.includes(text.slice(0, BEGINNING));
  return answer.length === text.length * repeat && answer.startsWith(text) && answer.endsWith(text);
}

/** A text of so many bytes that is another one for each number. */
export function numberedText(number: number, bytes: number): string {
  return `call ${number};`.padEnd(bytes, "x");
}
