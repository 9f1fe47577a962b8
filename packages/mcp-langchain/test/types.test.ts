import type { ToolSource } from "@jackfield/mcp-core";
import type { StructuredTool } from "@langchain/core/tools";
import type { CreateAgentParams } from "langchain";
import { expectTypeOf, it } from "vitest";
import { langchainTools } from "../src/index.ts";

it("is what createAgent takes as tools", () => {
  expectTypeOf(langchainTools).returns.toExtend<NonNullable<CreateAgentParams["tools"]>>();
  expectTypeOf(langchainTools).returns.toEqualTypeOf<StructuredTool[]>();
});

it("takes any tool source, with or without options", () => {
  expectTypeOf(langchainTools).toBeCallableWith({} as ToolSource, { include: ["a"], exclude: ["b*"] });
  expectTypeOf(langchainTools).toBeCallableWith({} as ToolSource);
});
