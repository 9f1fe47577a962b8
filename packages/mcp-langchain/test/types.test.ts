import type { GetPromptResult, ReadResourceResult, ToolSource } from "@jackfield/mcp-core";
import type { Document } from "@langchain/core/documents";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage, type MessageContent } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import type { ToolNode } from "@langchain/langgraph/prebuilt";
import { type AgentMiddleware, type CreateAgentParams, createAgent, createMiddleware } from "langchain";
import { expectTypeOf, it } from "vitest";
import {
  type LangchainDocumentMetadata,
  type LangchainToolsOptions,
  langchainDocuments,
  langchainPromptMessages,
  langchainResourceBlocks,
  langchainTools,
} from "../src/index.ts";
import {
  type McpInputAnswers,
  type McpInputInterrupt,
  type McpInputRequest,
  type McpMiddlewareOptions,
  mcpMiddleware,
  type ToolApproval,
} from "../src/middleware.ts";

it("langchainTools returns what createAgent, ToolNode and bindTools accept as tools", () => {
  expectTypeOf(langchainTools).returns.toExtend<NonNullable<CreateAgentParams["tools"]>>();
  expectTypeOf(langchainTools).returns.toEqualTypeOf<StructuredTool[]>();
  expectTypeOf(langchainTools).returns.toExtend<ConstructorParameters<typeof ToolNode>[0]>();
  type Bind = NonNullable<BaseChatModel["bindTools"]>;
  expectTypeOf(langchainTools).returns.toExtend<Parameters<Bind>[0]>();
});

it("langchainTools takes any tool source, with or without options, and is synchronous", () => {
  expectTypeOf(langchainTools).toBeCallableWith({} as ToolSource, { include: ["a"], exclude: ["b*"] });
  expectTypeOf(langchainTools).toBeCallableWith({} as ToolSource);
  expectTypeOf(langchainTools).returns.not.toExtend<PromiseLike<unknown>>();
});

it("mcpMiddleware type-checks beside other middleware in createAgent", () => {
  expectTypeOf(mcpMiddleware).returns.toExtend<AgentMiddleware>();
  const make = (model: BaseChatModel, source: ToolSource) =>
    createAgent({ model, middleware: [mcpMiddleware(source), createMiddleware({ name: "other" })] });
  expectTypeOf(make).returns.toHaveProperty("invoke");
});

it("mcpMiddleware takes the options of langchainTools and an approval policy", () => {
  expectTypeOf<McpMiddlewareOptions>().toExtend<LangchainToolsOptions>();
  expectTypeOf<McpMiddlewareOptions["approval"]>().toEqualTypeOf<ToolApproval | undefined>();
  expectTypeOf<{ approval: "always" }>().toExtend<McpMiddlewareOptions>();
  expectTypeOf<{ approval: "allways" }>().not.toExtend<McpMiddlewareOptions>();
  expectTypeOf<{ approval: () => Promise<boolean> }>().toExtend<McpMiddlewareOptions>();
});

it("prompts and resources convert to LangChain's own message, document and block types", () => {
  expectTypeOf(langchainPromptMessages).toBeCallableWith({} as GetPromptResult);
  expectTypeOf(langchainPromptMessages).returns.toExtend<BaseMessage[]>();
  expectTypeOf(langchainDocuments).returns.toExtend<Document[]>();
  expectTypeOf(langchainDocuments).returns.toEqualTypeOf<Document<LangchainDocumentMetadata>[]>();
  const blocks = (resource: ReadResourceResult) =>
    new HumanMessage({ contentBlocks: langchainResourceBlocks(resource) });
  expectTypeOf(blocks).returns.toExtend<HumanMessage>();
  expectTypeOf(langchainResourceBlocks).returns.toExtend<MessageContent>();
});

it("input interrupts and answers are typed as plain JSON", () => {
  expectTypeOf<McpInputInterrupt["requests"]>().toEqualTypeOf<{ readonly [key: string]: McpInputRequest }>();
  expectTypeOf<McpInputInterrupt["requestState"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<{ name: { action: "accept"; content: { name: string } } }>().toExtend<McpInputAnswers>();
});
