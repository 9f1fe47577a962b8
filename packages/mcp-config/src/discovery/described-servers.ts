import { createMap } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { ParsedServer } from "./parse-host-file.ts";

/** A server as a plain record: what its transport always has, and what else the file says. */
export type DescribedServer = { readonly [field: string]: unknown };

/**
 * Servers by name, as plain data for people and programs: `transport`, `enabled`, and `command`, `args`, `env` or `url`,
 * `headers`, are always there; other fields where the file has them. Values are as written and may be secret. A server that can be
 * reached in several ways is `{ $options: [...] }`, each with its `id`, and with `$requires` where something has to be given first.
 */
export function describeServers(servers: readonly ParsedServer[]): { [name: string]: DescribedServer } {
  const described = createMap<DescribedServer>();
  for (const { name, written, options } of servers) {
    described[name] = options
      ? { $options: options.map(({ id, written: own }) => ({ id, ...describeServer(own) })) }
      : describeServer(written);
  }
  return described;
}

function describeServer({ transport, requires, ...written }: WrittenServer): DescribedServer {
  const always = transport === "stdio" ? { args: [], env: {} } : { headers: {} };
  const described: { [field: string]: unknown } = { transport, ...always };
  if (requires) described.$requires = requires;
  for (const [field, value] of Object.entries(written)) if (value !== undefined) described[field] = value;
  return described;
}
