import { ToolSelection, ModelToolOptions, MediaSupport } from "@jackfield/mcp-tools";
export { FailedCall, ToolMetadata as LangchainToolMetadata, MediaSupport, ModelCallResult, SchemaProfile, isFailedCall } from "@jackfield/mcp-tools";
import { ContentBlock, HumanMessage, AIMessage } from "@langchain/core/messages";
import { ToolSource, GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
import { StructuredTool } from "@langchain/core/tools";
import { Document } from "@langchain/core/documents";
type LangchainBlock = ContentBlock.Text | ContentBlock.Multimodal.Standard;
type ArtifactKind = "full" | "data" | "rest";
interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {
    readonly model?: unknown;
    readonly media?: MediaSupport | "auto" | undefined;
    readonly artifact?: ArtifactKind | undefined;
    readonly throwErrors?: boolean | undefined;
}
declare function langchainTools(source: ToolSource, options?: LangchainToolsOptions): StructuredTool[];
declare function langchainPromptMessages(prompt: GetPromptResult): (HumanMessage | AIMessage)[];
interface LangchainDocumentMetadata {
    readonly source: string;
    readonly server: string;
    readonly mimeType?: string;
}
declare function langchainDocuments(server: string, resource: ReadResourceResult): Document<LangchainDocumentMetadata>[];
declare function langchainResourceBlocks(resource: ReadResourceResult): LangchainBlock[];
export { langchainDocuments, langchainPromptMessages, langchainResourceBlocks, langchainTools };
export type { LangchainBlock, LangchainDocumentMetadata, LangchainToolsOptions };
