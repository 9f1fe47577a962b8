import type { ServerUnderTest } from "./clients/client.ts";
import { type CheckedClient, type MeasuredClient, startChecked } from "./measured-client.ts";
import type { MemoryRequest, Point } from "./measurement.ts";
import { weigh } from "./weighing.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * Measures what sessions take above one, and one above none; or what one with many tools takes above one with few: by then whatever
 * a client loads once has been loaded. The process is one of its own. Garbage is collected before each reading: it would count for the
 * sessions before or after, as chance has it.
 */
export async function measureMemory(client: MeasuredClient, request: MemoryRequest): Promise<Point[]> {
  const { server, counts } = request;
  const { rss: withoutAny } = await weigh();
  const one = await startChecked(client, [server]);
  await one.call("one session");
  const { rss: withOne } = await weigh();
  const opened: CheckedClient[] = [one];
  const points: Point[] = [];
  for (const at of counts) {
    const isFirst = request.of === "sessions" && at === 1;
    if (!isFirst) opened.push(await openMore(client, request, at, opened));
    const { rss: resident } = await weigh();
    const grownMib = (resident - (isFirst ? withoutAny : withOne)) / MEBIBYTE;
    const figures = request.of === "tools" ? { toolsMib: grownMib } : { sessionsMib: grownMib };
    points.push({ at, figures: { ...figures, residentMib: resident / MEBIBYTE } });
  }
  await Promise.all(opened.map(({ running }) => running.close()));
  return points;
}

/** Opens sessions until there are so many above the first, or one with a server that has so many tools. */
async function openMore(
  client: MeasuredClient,
  { server, of }: MemoryRequest,
  count: number,
  opened: readonly CheckedClient[],
): Promise<CheckedClient> {
  const servers = of === "tools" ? [withTools(server, count)] : sessionsUpTo(server, count, opened);
  const checked = await startChecked(client, servers);
  await checked.call("more sessions");
  return checked;
}

function sessionsUpTo(server: ServerUnderTest, count: number, opened: readonly CheckedClient[]) {
  const [one, ...others] = opened;
  const toolsEach = one?.running.tools.length ?? 1;
  const open = others.reduce((total, { running }) => total + running.tools.length / toolsEach, 0);
  return Array.from({ length: count - open }, (_, index) => {
    return { ...server, name: `session-${open + index + 1}` };
  });
}

/** The same server with another number of tools. */
export function withTools(server: ServerUnderTest, tools: number): ServerUnderTest {
  if (server.transport !== "http") throw new Error("Only servers behind HTTP have a number of tools.");
  return { ...server, name: `tools-${tools}`, url: `${server.url}?tools=${tools}` };
}
