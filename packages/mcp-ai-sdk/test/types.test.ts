import type { ToolSource } from "@jackfield/mcp-core";
import type { Tool, ToolSet } from "ai";
import { expectTypeOf, it } from "vitest";
import { type AiSdkTool, aiSdkTools } from "../src/index.ts";

it("is assignable to the AI SDK's tool set", () => {
  expectTypeOf(aiSdkTools).returns.toExtend<ToolSet>();
  expectTypeOf<AiSdkTool>().toExtend<Tool>();
});

it("takes any tool source, with or without options, and is synchronous", () => {
  expectTypeOf(aiSdkTools).toBeCallableWith({} as ToolSource, { include: ["a"], exclude: ["b*"] });
  expectTypeOf(aiSdkTools).toBeCallableWith({} as ToolSource);
  expectTypeOf(aiSdkTools).returns.not.toExtend<PromiseLike<unknown>>();
});
