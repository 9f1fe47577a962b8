import { ToolDescriptor, SearchToolsOptions } from "@jackfield/mcp-core";
export { SearchToolsOptions } from "@jackfield/mcp-core";
type RankTools = (query: string, candidates: readonly ToolDescriptor[]) => readonly ToolDescriptor[];
interface ToolSearchSettings {
    readonly rank?: RankTools | undefined;
}
interface ToolSearch {
    follow(tools: readonly ToolDescriptor[], instructions?: (server: string) => string | undefined): void;
    work(isOver?: () => boolean): boolean;
    find(query: string, options?: SearchToolsOptions): readonly ToolDescriptor[];
}
declare function createToolSearch({ rank }?: ToolSearchSettings): ToolSearch;
export { createToolSearch };
export type { RankTools, ToolSearch, ToolSearchSettings };
