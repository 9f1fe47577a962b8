import { createTimeSlices, type ToolDescriptor, type ToolListPolicy } from "@jackfield/mcp-core";
import { createListWatch } from "../list-watch.ts";
import { type FoundMatch, reportMatches, type ScannedText, type ScanOptions } from "./injection-finding.ts";
import { scanText } from "./scan-results.ts";
import { stringsIn } from "./strings-in.ts";

/** How much of one list is scanned at once, in UTF-16 units: what an ordinary server says of its tools. Takes a few milliseconds. */
const SCANNED_AT_ONCE = 100_000;

/**
 * Scans what servers say of their tools, once for each definition: descriptions, titles, annotations, and everything in
 * schemas. An ordinary list is scanned before the policy returns, so that a later policy knows what was found. A server may list thousands
 * of long tools: beyond 100,000 characters of a list, its tools are scanned soon after it was taken, in slices of time, in their order.
 *
 * A tool that names a tool of *another* server is reported as `shadowing`, whichever of the two servers came first: it may try
 * to change how the other tool is used.
 */
export function scanTools(options: ScanOptions): ToolListPolicy {
  const scanned = new WeakSet<object>();
  const shadows = createShadowWatch(options);
  const waiting: ToolDescriptor[] = [];
  let leftAtOnce = SCANNED_AT_ONCE;
  let isScanning = false;
  const scan = (tool: ToolDescriptor): number => {
    const texts = textsOf(tool);
    for (const [where, text] of texts) scanText(text, originOf(tool, where), options);
    return texts.reduce((length, [, text]) => length + text.length, 0);
  };
  const scanWaiting = async () => {
    const slices = createTimeSlices();
    // A list grows while it is judged, and another one may arrive meanwhile.
    for (let next = 0; next < waiting.length; next += 1) {
      if (next === 0 || slices.isOver()) await slices.next();
      scan(waiting[next] as ToolDescriptor);
    }
    waiting.length = 0;
    isScanning = false;
  };
  return (tool) => {
    shadows.offer(tool);
    if (scanned.has(tool.definition)) return tool;
    scanned.add(tool.definition);
    // A list is judged in one turn.
    if (leftAtOnce === SCANNED_AT_ONCE)
      queueMicrotask(() => {
        leftAtOnce = SCANNED_AT_ONCE;
      });
    if (!isScanning && leftAtOnce > 0) {
      leftAtOnce -= scan(tool);
      return tool;
    }
    waiting.push(tool);
    if (!isScanning) void scanWaiting();
    isScanning = true;
    return tool;
  };
}

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

/** A word of a text that has the form of a tool's name. */
export interface MentionedName {
  readonly name: string;
  /** Where it stands, in UTF-16 units. */
  readonly index: number;
}

const WORD = /[A-Za-z0-9_](?:[A-Za-z0-9_.:/-]*[A-Za-z0-9_])?/g;
/** A compound word is taken for a name; a single word may be ordinary language. */
const COMPOUND = /[_.:/-]|[a-z][A-Z]/;
/** What marks a single word as a name: a quotation mark or backtick after it, or the word "tool" or "function". */
const MARKED = /^(?:["'`”’]|\s+(?:tool|function)\b)/i;
const LONGEST_MARK = 16;

/** The words of a text that may be names of tools. Linear in the length of the text. */
function mentionedNames(text: string): readonly MentionedName[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: name, index }) => {
    const after = text.slice(index + name.length, index + name.length + LONGEST_MARK);
    return COMPOUND.test(name) || MARKED.test(after) ? [{ name, index }] : [];
  });
}

type ToolText = "description" | "schema";

/** The texts of a tool that a model reads. Names of arguments, enums and defaults can steer a model just as prose can. */
function textsOf({
  description,
  definition,
}: ToolDescriptor): readonly (readonly [where: ToolText, text: string])[] {
  const { inputSchema, outputSchema, annotations, title } = definition;
  return [
    ["description", description],
    ["schema", stringsIn(inputSchema, outputSchema, annotations, title)],
  ];
}

function originOf({ server, originalName: tool }: ToolDescriptor, where: ToolText): ScannedText {
  return { server, tool, where };
}
