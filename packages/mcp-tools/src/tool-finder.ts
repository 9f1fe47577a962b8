import {
  type JsonObject,
  McpError,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolInputSchema,
  type ToolSource,
} from "@jackfield/mcp-core";
import { plainLine } from "./error-text.ts";
import { fitSchema } from "./fitting/fit-schema.ts";
import { meantTool } from "./meant-tool.ts";
import { matchesPattern } from "./name-pattern.ts";
import { costMoreThan, toolPage } from "./tool-page.ts";
import { checkSelection, selectTools, type ToolSelection } from "./tool-selection.ts";

/** Whether a model is shown all tools, or finds those that it needs. The names are the same in every adapter. */
export interface FindingOptions extends ToolSelection {
  /**
   * `auto`: tools are searched for if all of them together cost a model more than `threshold`. `always`: whatever they cost. Default `off`:
   * all are offered.
   */
  readonly search?: "auto" | "always" | "off" | undefined;
  /** The tools that are offered whole all the same, by exposed or original name; `*` stands for any characters. Default: none. */
  readonly always?: readonly string[] | undefined;
  /** In tokens, estimated from names, descriptions and schemas. Default 10,000. */
  readonly threshold?: number | undefined;
  /** How many tokens the names of all tools may take in the description of `search_tools`; beyond it, their number is told. Default 3,000. */
  readonly namesWithin?: number | undefined;
}

const DEFAULT_THRESHOLD = 10_000;
const DEFAULT_NAMES_WITHIN = 3_000;
/** How many tools a search finds: each costs a model as much as the others that it reads. */
export const MOST_FOUND = 5;
const MOST_OF_A_DESCRIPTION = 200;

/** A tool of the finder's own, which a model is offered in place of the others. */
export interface FinderTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
}

/** Finds tools for a model. It follows its source: a server's new tools are found at once. */
export interface ToolFinder {
  /** Whether tools are searched for now. If not, all are offered, and what follows is not needed. */
  readonly isSearching: boolean;
  /** The tools that are offered whole: all, unless tools are searched for. */
  readonly offered: readonly ToolDescriptor[];
  /** The tools that may be found. */
  readonly hidden: readonly ToolDescriptor[];
  /** `search_tools`, whose description is the page of servers and names. */
  readonly searchTool: FinderTool;
  /** `describe_tool` and `call_tool`, for APIs that are told their tools once. */
  readonly describeTool: FinderTool;
  readonly callTool: FinderTool;
  /** The tools that a query means, best first. Their servers are connected in the background, so that a call need not wait. */
  search(query: string): readonly ToolDescriptor[];
  /** All that a model needs to call a tool. @throws McpError `MCP_TOOL_UNKNOWN` */
  describe(name: string): string;
  /** The tool of an exposed name, or of one that can only mean it. @throws McpError `MCP_TOOL_UNKNOWN`, which names the nearest */
  find(name: string): ToolDescriptor;
}

/**
 * Makes a finder over the tools of a source that a selection leaves.
 *
 * @param suffix - of the names of its own tools, for a program with several finders. Default: none
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options
 */
export function createToolFinder(source: ToolSource, options: FindingOptions = {}, suffix = ""): ToolFinder {
  checkFinding(options);
  return new SourceFinder(source, options, suffix);
}

/**
 * What a model reads about the tools that were found: a line each, from which `namesFound` reads their names again.
 *
 * @param next - what to do with them. Default: that they can be called
 */
export function foundText(
  found: readonly Pick<ToolDescriptor, "name" | "description">[],
  next = "You can call them from your next step on.",
): string {
  if (found.length === 0)
    return "No further tool fits. Try other words, or the exact name of a tool; tools that you have already are not found again.";
  const lines = found.map(
    ({ name, description }) => `- ${name}: ${plainLine(description, MOST_OF_A_DESCRIPTION)}`,
  );
  return [...lines, next].join("\n");
}

/** The names in a text of `foundText`. */
export function namesFound(text: string): readonly string[] {
  return [...text.matchAll(/^- ([^\s:]+): /gm)].map(([, name = ""]) => name);
}

class SourceFinder implements ToolFinder {
  readonly #source: ToolSource;
  readonly #options: FindingOptions;
  #seen: readonly ToolDescriptor[] | undefined;
  #selected: readonly ToolDescriptor[] = [];
  #offered: readonly ToolDescriptor[] = [];
  #hidden: readonly ToolDescriptor[] = [];
  #isSearching = false;
  #searchTool: FinderTool | undefined;
  readonly #suffix: string;

  constructor(source: ToolSource, options: FindingOptions, suffix: string) {
    this.#source = source;
    this.#options = options;
    this.#suffix = suffix;
  }

  get isSearching(): boolean {
    this.#follow();
    return this.#isSearching;
  }

  get offered(): readonly ToolDescriptor[] {
    this.#follow();
    return this.#offered;
  }

  get hidden(): readonly ToolDescriptor[] {
    this.#follow();
    return this.#hidden;
  }

  get searchTool(): FinderTool {
    this.#follow();
    this.#searchTool ??= {
      name: this.#nameOf("search_tools"),
      description: `${SEARCH}\n${this.#page()}`,
      inputSchema: objectOf({ query: { type: "string", description: "A name, some keywords, or a task." } }),
    };
    return this.#searchTool;
  }

  get describeTool(): FinderTool {
    return {
      name: this.#nameOf("describe_tool"),
      description: DESCRIBE,
      inputSchema: objectOf({ name: NAME }),
    };
  }

  get callTool(): FinderTool {
    const args: JsonObject = {
      type: "object",
      additionalProperties: true,
      description: "The arguments, as the input schema of the tool says.",
    };
    return {
      name: this.#nameOf("call_tool"),
      description: CALL,
      inputSchema: objectOf({ name: NAME, arguments: args }),
    };
  }

  search(query: string): readonly ToolDescriptor[] {
    const selected = this.#searchable();
    const tools = (tool: ToolDescriptor) => selected.has(tool);
    return this.#source.searchTools(query, { limit: MOST_FOUND, tools, warmUp: true });
  }

  describe(name: string): string {
    const tool = this.find(name);
    // Its server is connected meanwhile: who reads a tool calls it next.
    this.#source.searchTools(tool.name, { limit: 1, tools: (one) => one === tool, warmUp: true });
    const { schema } = fitSchema(tool.definition.inputSchema, { profile: "none" });
    return `${tool.name}\n\n${tool.description.trim()}\n\nInput schema: ${JSON.stringify(schema)}`.toWellFormed();
  }

  find(name: string): ToolDescriptor {
    this.#follow();
    const found = this.#selected.find((tool) => tool.name === name) ?? meantTool(name, this.#selected);
    if (found !== undefined) return found;
    const near = this.search(name).map((tool) => tool.name);
    const hint = near.length === 0 ? "search for it by what it does" : `the nearest are ${near.join(", ")}`;
    const message = `No tool is called ${JSON.stringify(plainLine(name, 100))}; ${hint}.`;
    throw new McpError("MCP_TOOL_UNKNOWN", message, { phase: "call", outcome: "not-sent" });
  }

  #follow(): void {
    const tools = this.#source.tools();
    if (tools === this.#seen) return;
    this.#seen = tools;
    this.#selected = selectTools(tools, this.#options);
    const { search = "off", threshold = DEFAULT_THRESHOLD } = this.#options;
    this.#isSearching = search === "always" || (search === "auto" && costMoreThan(this.#selected, threshold));
    this.#offered = this.#isSearching
      ? this.#selected.filter((tool) => this.#isAlways(tool))
      : this.#selected;
    const offered = new Set(this.#offered);
    this.#hidden = this.#selected.filter((tool) => !offered.has(tool));
    this.#searchTool = undefined;
    // The index is made while the model thinks, so that its first search holds up nothing.
    if (this.#isSearching) this.#source.searchTools("");
  }

  #searchable(): ReadonlySet<ToolDescriptor> {
    this.#follow();
    return new Set(this.#selected);
  }

  #isAlways(tool: ToolDescriptor): boolean {
    return (this.#options.always ?? []).some(
      (pattern) => matchesPattern(pattern, tool.name) || matchesPattern(pattern, tool.originalName),
    );
  }

  #page(): string {
    const { namesWithin = DEFAULT_NAMES_WITHIN } = this.#options;
    return toolPage(this.#selected, this.#source.servers?.() ?? [], namesWithin);
  }

  /** A name that no tool of the source has. */
  #nameOf(name: string): string {
    const whole = `${name}${this.#suffix}`;
    return this.#selected.some((tool) => tool.name === whole) ? this.#nameOf(`mcp_${name}`) : whole;
  }
}

const SEARCH =
  "Finds tools of the servers below, by an exact name from this list, by keywords, or by a task in plain words. Tools that are not offered otherwise must be found first.";
const DESCRIBE =
  "Describes a tool that was found, with its input schema. Read it before the first call of that tool.";
const CALL = "Calls a tool that was found.";
const NAME: JsonObject = { type: "string", description: "The name of the tool, as it was found." };

function objectOf(properties: Record<string, JsonObject>): ToolInputSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  } as ToolInputSchema;
}

/** What a model gave to `search_tools` or `describe_tool`; weaker models give a text alone, or another member. */
export function textIn(input: unknown, member: string): string {
  if (typeof input === "string") return input;
  const value = (input as { readonly [name: string]: unknown } | null | undefined)?.[member];
  return typeof value === "string" ? value : "";
}

/** What a model gave to `call_tool`: some write the arguments as a text of JSON. */
export function callIn(input: unknown): { readonly name: string; readonly args: unknown } {
  const args = (input as { readonly arguments?: unknown } | null | undefined)?.arguments;
  return { name: textIn(input, "name"), args: typeof args === "string" ? parsed(args) : args };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws McpError `MCP_CONFIG_INVALID` */
function checkFinding({ search, always, threshold, namesWithin, ...selection }: FindingOptions): void {
  checkSelection(selection);
  checkSelection({ include: always });
  if (search !== undefined && !["auto", "always", "off"].includes(search))
    throw invalid('The option "search" must be "auto", "always" or "off".');
  for (const [name, tokens] of Object.entries({ threshold, namesWithin }))
    if (tokens !== undefined && !(typeof tokens === "number" && tokens >= 0))
      throw invalid(`The option "${name}" must be a number of tokens.`);
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/** A text as a result. */
export function textResult(text: string): ToolCallResult {
  return { content: [{ type: "text", text }] };
}
