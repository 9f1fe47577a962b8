import { isRecord, type ToolDescriptor } from "@jackfield/mcp-core";
import { actionsOfName } from "./meanings.ts";
import { isContent, stemOf, wordsOf } from "./words.ts";

/** What is searched of a tool, each as stems with spaces between them. */
export const FIELDS = [
  "name",
  "title",
  "server",
  "summary",
  "description",
  "arguments",
  "argumentTexts",
  "instructions",
] as const;

export type Field = (typeof FIELDS)[number];

/** A tool as the index keeps it. */
export interface IndexedTool {
  readonly tool: ToolDescriptor;
  /** What the tool does, by the words of its name. */
  readonly actions: readonly string[];
  /** The ways to write its whole name, without case and separators. */
  readonly names: readonly string[];
}

/** A text longer than this may be there to be found, not to be read. In characters. */
const MOST = { description: 1_000, summary: 160, source: 4_000, argument: 300, instructions: 600 };
const MOST_ARGUMENTS = 200;
const MOST_DEPTH = 6;
/** A sentence that so many tools of a server have tells none of them from the others. */
const SHARED_SENTENCE = 4;

/** The sentences of a server's descriptions that tell its tools apart. */
export class ServerTexts {
  readonly #sentences = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();

  constructor(tools: readonly ToolDescriptor[]) {
    for (const { description } of tools) {
      const sentences = sentencesOf(description);
      this.#sentences.set(description, sentences);
      for (const sentence of new Set(sentences))
        this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + 1);
    }
  }

  ownSentences({ description }: ToolDescriptor): readonly string[] {
    const all = this.#sentences.get(description) ?? [];
    const own = all.filter((sentence) => (this.#counts.get(sentence) ?? 0) < SHARED_SENTENCE);
    return own.length === 0 ? all.slice(0, 1) : own;
  }
}

export function indexedTool(tool: ToolDescriptor): IndexedTool {
  const { name, originalName, server } = tool;
  const names = [originalName, name, `${server} ${originalName}`, name.replace(/^mcp__/, "")].map(compact);
  return { tool, actions: actionsOfName(wordsOf(originalName)), names: [...new Set(names)] };
}

/** The fields of a tool. @param instructions - those of its server */
export function fieldsOf(
  tool: ToolDescriptor,
  texts: ServerTexts,
  instructions: string | undefined,
): Record<Field, string> {
  const { definition } = tool;
  const [summary = "", ...rest] = texts.ownSentences(tool);
  const { names, described } = argumentsOf(definition.inputSchema);
  return {
    name: nameStems(tool).join(" "),
    title: stemsIn(definition.title ?? definition.annotations?.title ?? "").join(" "),
    server: serverStems(tool.server).join(" "),
    summary: stemsIn(summary.slice(0, MOST.summary)).join(" "),
    description: stemsIn(rest.join(" ").slice(0, MOST.description)).join(" "),
    arguments: names.join(" "),
    argumentTexts: described.join(" "),
    instructions: [...new Set(stemsIn((instructions ?? "").slice(0, MOST.instructions)))].join(" "),
  };
}

/** How a person may write the name of a server: its words, and all of them as one. */
export function serverStems(server: string): readonly string[] {
  return [...new Set([...wordsOf(server).map(stemOf), compact(server)])];
}

/** A name without case and separators. */
export function compact(name: string): string {
  return wordsOf(name).join("");
}

/** The words of a name, those beside each other as one, and all as one. A server's own name in front of each of its tools says nothing. */
function nameStems({ originalName, server }: ToolDescriptor): readonly string[] {
  const words = wordsOf(originalName);
  const stems = words.filter((word) => !/^\d+$/.test(word)).map(stemOf);
  const ofServer = serverStems(server);
  const own = stems.filter((stem) => !ofServer.includes(stem));
  const pairs = words.slice(1).map((word, index) => stemOf(`${words[index]}${word}`));
  return [...(own.length === 0 ? stems : own), ...pairs, words.join("")];
}

function stemsIn(text: string): string[] {
  return wordsOf(text).filter(isContent).map(stemOf);
}

function sentencesOf(text: string): string[] {
  return text
    .slice(0, MOST.source)
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/<[^<>]{1,40}>/g, " ")
    .split(/(?<=[.!?:])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** The names of all arguments, also of those within others, and what is said about them. */
function argumentsOf(schema: unknown): {
  readonly names: readonly string[];
  readonly described: readonly string[];
} {
  const names = new Set<string>();
  const described = new Set<string>();
  const describe = (text: unknown) => {
    if (typeof text === "string" && described.size < MOST_ARGUMENTS)
      for (const stem of stemsIn(text.slice(0, MOST.argument))) described.add(stem);
  };
  let left = MOST_ARGUMENTS;
  const visit = (part: unknown, depth: number): void => {
    left -= 1;
    if (!isRecord(part) || depth > MOST_DEPTH || left < 0) return;
    describe(part.title);
    describe(part.description);
    describe(part.const);
    if (Array.isArray(part.enum)) part.enum.slice(0, 20).forEach(describe);
    if (isRecord(part.properties))
      for (const [name, property] of Object.entries(part.properties)) {
        for (const word of wordsOf(name)) if (!/^\d+$/.test(word)) names.add(stemOf(word));
        names.add(stemOf(compact(name)));
        visit(property, depth + 1);
      }
    for (const keyword of ["items", "additionalProperties"]) visit(part[keyword], depth + 1);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const choices = part[keyword];
      if (Array.isArray(choices)) for (const choice of choices) visit(choice, depth + 1);
    }
  };
  visit(schema, 0);
  return { names: [...names], described: [...described] };
}
