import { checkedCall } from "./checked-call.ts";
import type { BenchClient, ServerUnderTest } from "./clients/client.ts";
import type { Figures, MemoryRequest } from "./measurement.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Measures what so many sessions with a server take above one: by then whatever a client loads once has been loaded. The
 * process is one of its own, and nothing it allocates is freed in between.
 */
export async function measureMemory(
  client: BenchClient,
  { server, sessions }: MemoryRequest,
): Promise<Figures> {
  const one = await client.start([server]);
  await checkedCall(one, "one session");
  const before = process.memoryUsage.rss();
  const many = await client.start(Array.from({ length: sessions }, (_, index) => renamed(server, index)));
  await checkedCall(many, "many sessions");
  const sessionsMib = (process.memoryUsage.rss() - before) / MEBIBYTE;
  await Promise.all([one.close(), many.close()]);
  return { sessionsMib };
}

function renamed(server: ServerUnderTest, index: number): ServerUnderTest {
  return { ...server, name: `session-${index + 1}` };
}
