import type { CallMiddleware, ToolCallResult, ToolDescriptor, ToolListPolicy } from "@jackfield/mcp-core";
import { findInjectionSignals, type InjectionSignal, type SignalMatch } from "./injection-signals.ts";

/** A text that tries to steer a model, and whose it is. */
export interface InjectionFinding {
  readonly server: string;
  readonly tool: string;
  /** Where the text was: in what the tool answered, or in what its server says of it. */
  readonly where: "result" | "description" | "schema";
  /** Each kind of signal once, in alphabetical order. */
  readonly signals: readonly (InjectionSignal | "shadowing")[];
  /** Where each was found, in UTF-16 units; the texts of a result count as one, joined by newlines. */
  readonly matches: readonly (
    | SignalMatch
    | { readonly signal: "shadowing"; readonly index: number; readonly length: number }
  )[];
}

export interface ScanOptions {
  /** Hears of each text with a signal. It is never told what is harmless, and nothing is changed or withheld. */
  readonly found: (finding: InjectionFinding) => void;
}

/** Scans the texts of every result. The result passes as it is, whatever is found. */
export function scanResults({ found }: ScanOptions): CallMiddleware {
  return async ({ tool }, next) => {
    const result = await next();
    report(found, tool, "result", findInjectionSignals(textOf(result)));
    return result;
  };
}

/**
 * Scans what servers say of their tools, once for each definition: descriptions and the prose in schemas. A description
 * that names a tool of *another* server is reported as `shadowing`: it may be there to change how that one is used.
 */
export function scanTools({ found, toolNames }: ScanOptions & ToolNames): ToolListPolicy {
  const seen = new WeakSet<object>();
  return (tool) => {
    if (seen.has(tool.definition)) return tool;
    seen.add(tool.definition);
    const shadowing = shadowedTools(tool, toolNames?.(tool.server) ?? []);
    report(found, tool, "description", [...findInjectionSignals(tool.description), ...shadowing]);
    report(found, tool, "schema", findInjectionSignals(schemaProse(tool)));
    return tool;
  };
}

export interface ToolNames {
  /** The original names of the tools that servers other than this one offer. Default: shadowing is not looked for. */
  readonly toolNames?: ((exceptServer: string) => Iterable<string>) | undefined;
}

function report(
  found: ScanOptions["found"],
  tool: ToolDescriptor,
  where: InjectionFinding["where"],
  matches: InjectionFinding["matches"],
): void {
  if (matches.length === 0) return;
  const signals = [...new Set(matches.map(({ signal }) => signal))].sort();
  found({ server: tool.server, tool: tool.originalName, where, signals, matches });
}

function textOf({ content }: ToolCallResult): string {
  const texts = content.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "resource" && "text" in block.resource) return block.resource.text;
    return block.type === "resource_link" ? (block.description ?? "") : "";
  });
  return texts.join("\n");
}

/** Names of one word are words of the language as well; only a compound one is surely meant as a name. */
const COMPOUND = /[_.:/-]|[a-z][A-Z]/;

function shadowedTools(
  { description, originalName }: ToolDescriptor,
  names: Iterable<string>,
): InjectionFinding["matches"] {
  const words = new Map(
    [...description.matchAll(/[A-Za-z0-9_.:/-]+/g)].map(({ 0: word, index }) => [word, index]),
  );
  const matches = [];
  for (const name of names) {
    const index = words.get(name);
    if (index === undefined || name === originalName || !COMPOUND.test(name)) continue;
    matches.push({ signal: "shadowing" as const, index, length: name.length });
  }
  return matches;
}

const MAX_DEPTH = 32;

/** Every string in the tool's schemas and annotations, joined: names of arguments, enums and defaults steer as well as prose. */
function schemaProse({ definition }: ToolDescriptor): string {
  const texts: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null && depth < MAX_DEPTH) {
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push(name);
        visit(member, depth + 1);
      }
    }
  };
  visit(definition.inputSchema, 0);
  visit(definition.outputSchema, 0);
  visit(definition.annotations, 0);
  visit(definition.title, 0);
  return texts.join("\n");
}
