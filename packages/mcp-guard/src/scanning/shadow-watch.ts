import { createTimeSlices, type ToolDescriptor } from "@jackfield/mcp-core";
import { createListWatch } from "../list-watch.ts";
import { type FoundMatch, reportMatches, type ScanOptions } from "./injection-finding.ts";
import { mentionedNames } from "./mentioned-names.ts";
import { originOf, textsOf } from "./tool-texts.ts";

/** Finds tools that name another server's tool ([T56] of the threat list), whichever of the two servers came first. */
export interface ShadowWatch {
  /** Takes the next tool of a server's list. What is found is reported once the list is complete, once for each name. */
  offer(tool: ToolDescriptor): void;
}

export function createShadowWatch({ found }: ScanOptions): ShadowWatch {
  const lists = new Map<string, readonly ToolDescriptor[]>();
  const arriving = new Map<string, ToolDescriptor[]>();
  /** Servers by the original and exposed names of their tools. */
  const owners = createIndex<string>();
  /** Tools by the names that they mention. */
  const mentioning = createIndex<ToolDescriptor>();
  const reported = new WeakMap<object, Set<string>>();

  let watching = Promise.resolve();
  const watch = createListWatch(() => {
    const complete = new Map(arriving);
    arriving.clear();
    watching = watching.then(() => compare(complete));
  });

  /** Compares complete lists with all others, in slices of time: there may be thousands of tools. */
  async function compare(complete: ReadonlyMap<string, readonly ToolDescriptor[]>): Promise<void> {
    const slices = createTimeSlices();
    const inSlices = async <T>(items: Iterable<T>, work: (item: T) => void) => {
      for (const item of items) {
        work(item);
        if (slices.isOver()) await slices.next();
      }
    };
    for (const [server, tools] of complete) {
      await inSlices(lists.get(server) ?? [], (tool) => forEachName(tool, owners.remove, mentioning.remove));
      await inSlices(tools, (tool) => forEachName(tool, owners.add, mentioning.add));
      lists.set(server, tools);
    }
    const arrived = [...complete.values()].flat();
    const concerned = new Set(arrived);
    // Each name once: many tools may share one that many others mention.
    await inSlices(new Set(arrived.flatMap(namesOf)), (name) => {
      for (const other of mentioning.get(name) ?? []) concerned.add(other);
    });
    await inSlices(concerned, report);
  }

  function report(tool: ToolDescriptor): void {
    const reportedNames = reported.get(tool.definition) ?? new Set();
    reported.set(tool.definition, reportedNames);
    for (const [where, text] of textsOf(tool)) {
      const matches: FoundMatch[] = [];
      for (const { name, index } of mentionedNames(text)) {
        const offering = owners.get(name);
        if (offering === undefined || offering.has(tool.server) || reportedNames.has(name)) continue;
        reportedNames.add(name);
        matches.push({ signal: "shadowing", index, length: name.length });
      }
      reportMatches(found, originOf(tool, where), matches);
    }
  }

  return {
    offer(tool) {
      if (watch.begins(tool.server)) arriving.set(tool.server, []);
      arriving.get(tool.server)?.push(tool);
    },
  };
}

function namesOf({ originalName, name }: ToolDescriptor): readonly string[] {
  return [originalName, name];
}

function forEachName(
  tool: ToolDescriptor,
  own: (name: string, server: string) => void,
  mentions: (name: string, tool: ToolDescriptor) => void,
): void {
  for (const name of namesOf(tool)) own(name, tool.server);
  for (const [, text] of textsOf(tool)) for (const { name } of mentionedNames(text)) mentions(name, tool);
}

function createIndex<T>() {
  const entries = new Map<string, Set<T>>();
  return {
    get: (name: string): ReadonlySet<T> | undefined => entries.get(name),
    add(name: string, value: T): void {
      const values = entries.get(name);
      if (values === undefined) entries.set(name, new Set([value]));
      else values.add(value);
    },
    remove(name: string, value: T): void {
      const values = entries.get(name);
      values?.delete(value);
      if (values?.size === 0) entries.delete(name);
    },
  };
}
