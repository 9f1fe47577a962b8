import { createMap } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import type { ParsedServer } from "./parse-host-file.ts";

/** A server as a plain record: the fields that its transport always has, and the others that the file has. */
export type DescribedServer = { readonly [field: string]: unknown };

/**
 * Servers by name, as plain data for people and programs. `transport` and `enabled` are always there, as are `command`, `args` and
 * `env`, or `url` and `headers`; other fields only if the file has them. Values are as written and may be secret. A server that can
 * be reached in several ways is `{ $options: [...] }`, each with its `id`. `$requires` lists what has to be given first.
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
