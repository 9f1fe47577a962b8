export { type FailedCall, isFailedCall, type ModelCallResult } from "@jackfield/mcp-tools";
export { type LangchainToolsOptions, langchainTools } from "./langchain-tools.ts";
