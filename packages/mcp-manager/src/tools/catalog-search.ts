import { createTimeSlices, type SearchToolsOptions, type ToolDescriptor } from "@jackfield/mcp-core";
import { createToolSearch, type ToolSearch, type ToolSearchSettings } from "@jackfield/mcp-tools/search";

/** What is searched, and what happens to what is found. */
export interface SearchedCatalog {
  readonly settings: ToolSearchSettings | undefined;
  tools(): readonly ToolDescriptor[];
  /** The instructions of a server, if any are known. */
  instructions(server: string): string | undefined;
  /** Calls the listener whenever the tools have changed. */
  onChange(listener: () => void): void;
  /** Connects a server in the background. */
  warmUp(server: string): void;
}

/**
 * Searches the tools on offer. The index is made by the first search, or before it by an empty one: in slices, as changes are taken up
 * later, so that a large list does not hold up calls.
 */
export class CatalogSearch {
  readonly #catalog: SearchedCatalog;
  #search: ToolSearch | undefined;
  #isCatchingUp = false;

  constructor(catalog: SearchedCatalog) {
    this.#catalog = catalog;
  }

  find(query: string, options: SearchToolsOptions = {}): readonly ToolDescriptor[] {
    if (query === "") {
      void this.#catchUp();
      return NOTHING;
    }
    const found = this.#current().find(query, options);
    if (options.warmUp === true)
      for (const server of new Set(found.map((tool) => tool.server))) this.#catalog.warmUp(server);
    return found;
  }

  #current(): ToolSearch {
    if (this.#search === undefined) {
      this.#search = createToolSearch(this.#catalog.settings);
      this.#catalog.onChange(() => void this.#catchUp());
    }
    this.#search.follow(this.#catalog.tools(), (server) => this.#catalog.instructions(server));
    return this.#search;
  }

  /** A burst of changes is one work; a search that comes meanwhile does the rest of it. */
  async #catchUp(): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    const slices = createTimeSlices();
    await slices.next();
    while (!this.#current().work(() => slices.isOver())) await slices.next();
    this.#isCatchingUp = false;
  }
}

const NOTHING: readonly ToolDescriptor[] = Object.freeze([]);
