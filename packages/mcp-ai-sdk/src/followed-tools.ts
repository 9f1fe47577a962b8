import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { createToolFinder, type ToolFinder } from "@jackfield/mcp-tools";
import { type AiSdkTool, type AiSdkToolSet, hideTool } from "./ai-sdk-tool.ts";
import { finderTools, foundIn } from "./found-tools.ts";
import { hasToolSearch } from "./model-output.ts";
import { type AiSdkToolMaker, type AiSdkToolsOptions, aiSdkToolMaker } from "./tool-maker.ts";

/** What the AI SDK says before a step. */
export interface AiSdkStep {
  readonly model?: unknown;
  readonly messages?: unknown;
}

/** A tool set that can be brought up to date with its source. */
export interface FollowedTools {
  readonly tools: AiSdkToolSet;
  /** The names of the tools on offer, in their order. It grows when AI SDK 7 finds more. */
  readonly order: string[];
  update(step?: AiSdkStep): void;
}

/**
 * How a tool stands in a set. `offered`: the model sees it. `deferred`: it sees it once AI SDK 7 has found it. `hidden`: it is found by its name,
 * by the SDK and by `call_tool`.
 */
type Place = "offered" | "deferred" | "hidden";

interface Placed {
  readonly descriptor: ToolDescriptor;
  readonly place: Place;
}

/** Makes the set of a source's tools as they are now. @throws McpError `MCP_CONFIG_INVALID` for invalid options */
export function createFollowedTools(source: ToolSource, options: AiSdkToolsOptions = {}): FollowedTools {
  const finder = createToolFinder(source, options);
  const maker = aiSdkToolMaker(source, options);
  const set = new FollowedSet({ source, finder, maker, isDeferring: hasToolSearch(options.sdk) });
  set.update({ messages: options.messages });
  return set;
}

interface Parts {
  readonly source: ToolSource;
  readonly finder: ToolFinder;
  readonly maker: AiSdkToolMaker;
  readonly isDeferring: boolean;
}

class FollowedSet implements FollowedTools {
  readonly tools: AiSdkToolSet = Object.create(null);
  readonly order: string[] = [];
  readonly #parts: Parts;
  readonly #placed = new Map<string, Placed>();
  /** What was found, in that order: it stands at the end of the set, so that the bytes before it stay. */
  readonly #found = new Set<string>();
  #ownNames: readonly string[] = [];
  #seen: readonly ToolDescriptor[] | undefined;
  #seenFound = "";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  update({ model, messages }: AiSdkStep = {}): void {
    const { source, finder, maker } = this.#parts;
    const current = source.tools();
    const isOtherForm = maker.meet(model);
    const found = this.#parts.isDeferring && finder.isSearching ? foundIn(messages, finder) : [];
    const isSame = current === this.#seen && !isOtherForm && found.join() === this.#seenFound;
    if (isSame) return;
    const isOfSource = current !== this.#seen || isOtherForm;
    this.#seen = current;
    this.#seenFound = found.join();
    const wanted = this.#places(found);
    for (const name of this.#placed.keys()) {
      const gone = this.tools[name];
      if (!wanted.has(name) && gone !== undefined) hideTool(this.tools, name, () => gone);
    }
    if (isOfSource) this.#putFinder();
    for (const [name, { descriptor, place }] of wanted) {
      const known = this.#placed.get(name);
      const isKept = known?.descriptor === descriptor && known.place === place && !isOtherForm;
      const kept = isKept && name in this.tools ? this.tools[name] : undefined;
      // Unless tools are searched for, the order is the source's.
      if (!finder.isSearching) delete this.tools[name];
      if (kept === undefined || !finder.isSearching) this.#put(name, descriptor, place, kept);
    }
    for (const name of found) this.#moveToEnd(name);
    for (const tool of current) this.#withhold(tool);
    this.#placed.clear();
    for (const [name, placed] of wanted) this.#placed.set(name, placed);
    this.order.length = 0;
    this.order.push(...Object.keys(this.tools).filter((name) => this.tools[name]?.deferLoading !== true));
  }

  #places(found: readonly string[]): Map<string, Placed> {
    const { finder, isDeferring } = this.#parts;
    const places = new Map<string, Placed>();
    for (const tool of finder.offered) places.set(tool.name, { descriptor: tool, place: "offered" });
    const others: Place = isDeferring ? "deferred" : "hidden";
    for (const tool of finder.hidden)
      places.set(tool.name, { descriptor: tool, place: found.includes(tool.name) ? "offered" : others });
    return places;
  }

  #put(name: string, descriptor: ToolDescriptor, place: Place, kept: AiSdkTool | undefined): void {
    const { make } = this.#parts.maker;
    if (place !== "hidden") {
      const made = kept ?? make(descriptor);
      this.tools[name] = place === "deferred" ? Object.assign(made, { deferLoading: true }) : made;
      return;
    }
    let made = kept;
    hideTool(this.tools, name, () => (made ??= make(descriptor)));
  }

  /** A tool that is not offered converts stored results, and refuses calls. */
  #withhold(descriptor: ToolDescriptor): void {
    if (Object.hasOwn(this.tools, descriptor.name)) return;
    let withheld: AiSdkTool | undefined;
    hideTool(this.tools, descriptor.name, () => (withheld ??= this.#parts.maker.makeRefusing(descriptor)));
  }

  #putFinder(): void {
    const { finder, maker, isDeferring } = this.#parts;
    const onFound = (names: readonly string[]) => {
      for (const name of names) if (this.tools[name]?.deferLoading === true) this.#moveToEnd(name);
    };
    const own = finder.isSearching ? finderTools({ finder, maker, isDeferring, onFound }) : {};
    for (const name of this.#ownNames) if (!(name in own)) delete this.tools[name];
    Object.assign(this.tools, own);
    this.#ownNames = Object.keys(own);
  }

  #moveToEnd(name: string): void {
    const tool = this.tools[name];
    if (tool === undefined || this.#found.has(name)) return;
    this.#found.add(name);
    delete this.tools[name];
    this.tools[name] = tool;
    if (!this.order.includes(name)) this.order.push(name);
  }
}
