import type { ServerDefinition } from "@jackfield/mcp-core";
import type { WrittenServer } from "../entries/written-server.ts";
import type { ConfigProblem } from "../sources/config-problem.ts";
import type { SourceEntry } from "../sources/server-source.ts";

/** One of several ways to reach a server. */
export interface LaunchOption {
  /** Identifies the option, for example `npm:@acme/weather-mcp@1.0.2` or `remote:0`. */
  readonly id: string;
  /** As the file has it. What is still missing is in `requires`. */
  readonly written: WrittenServer;
  /** Ready to be resolved, once what it requires is given. */
  readonly definition: ServerDefinition;
}

/** A server with the ways to reach it, and the first of them. */
interface ServerWithOptions extends Omit<LaunchOption, "id"> {
  readonly name: string;
  readonly options: readonly LaunchOption[];
}

/** Joins the entries that are ways to reach one server. An entry that cannot be used is a problem instead. */
export function joinOptions(entries: readonly SourceEntry[]) {
  const servers = new Map<string, LaunchOption[]>();
  const distinct = createDistinctIds();
  const problems: ConfigProblem[] = [];
  for (const { name, definedIn, option: id = "", outcome } of entries) {
    if ("error" in outcome) {
      problems.push({ server: name, definedIn, error: outcome.error, kind: "ServerConfigError" });
    } else if (outcome.written) {
      const options = servers.get(name) ?? [];
      const { written, definition } = outcome;
      options.push({ id: distinct(name, id), written, definition });
      servers.set(name, options);
    }
  }
  const joined = Array.from(servers, ([name, options]): ServerWithOptions => {
    const [{ written, definition }] = options as [LaunchOption];
    return { name, written, definition, options };
  });
  return { servers: joined, problems };
}

/**
 * Two ways may start the same package, in different programs: the second one's id ends with `#2`. A file may have very many of them,
 * so the number goes on from the last one.
 */
function createDistinctIds(): (server: string, id: string) => string {
  const numbers = new Map<string, number>();
  return (server, id) => {
    const key = JSON.stringify([server, id]);
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    return number === 1 ? id : `${id}#${number}`;
  };
}
