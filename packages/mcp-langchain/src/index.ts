export {
  type FailedCall,
  isFailedCall,
  type MediaSupport,
  type ModelCallResult,
  type SchemaProfile,
  type ToolMetadata as LangchainToolMetadata,
} from "@jackfield/mcp-tools";
export type { LangchainBlock } from "./content-blocks.ts";
export { type LangchainToolsOptions, langchainTools } from "./langchain-tools.ts";
export { langchainPromptMessages } from "./prompt-messages.ts";
export {
  type LangchainDocumentMetadata,
  langchainDocuments,
  langchainResourceBlocks,
} from "./resource-documents.ts";
