import type { ToolSource } from "@jackfield/mcp-core";
import type * as ai7 from "ai";
import type * as ai6 from "ai6";
import { expectTypeOf, it } from "vitest";
import {
  type AiSdkCallSettings,
  type AiSdkMessage,
  type AiSdkTool,
  type AiSdkToolSet,
  type aiSdkLiveTools,
  aiSdkTools,
} from "../src/index.ts";

it("aiSdkTools is assignable to the tool set of each major", () => {
  expectTypeOf(aiSdkTools).returns.toExtend<ai7.ToolSet>();
  expectTypeOf(aiSdkTools).returns.toExtend<ai6.ToolSet>();
  expectTypeOf<AiSdkTool>().toExtend<ai7.Tool>();
  expectTypeOf<AiSdkTool>().toExtend<ai6.Tool>();
});

it("call settings and live tools fit the options of each major", () => {
  type Generate7 = Parameters<typeof ai7.generateText<AiSdkToolSet>>[0];
  type Generate6 = Parameters<typeof ai6.generateText<AiSdkToolSet>>[0];
  expectTypeOf<AiSdkToolSet>().toExtend<NonNullable<Generate7["tools"]>>();
  expectTypeOf<AiSdkToolSet>().toExtend<NonNullable<Generate6["tools"]>>();
  expectTypeOf<AiSdkCallSettings["toolApproval"]>().toExtend<NonNullable<Generate7["toolApproval"]>>();
  expectTypeOf<AiSdkCallSettings["toolOrder"]>().toExtend<NonNullable<Generate7["toolOrder"]>>();
  expectTypeOf<ReturnType<typeof aiSdkLiveTools>["prepareStep"]>().toExtend<
    NonNullable<Generate7["prepareStep"]>
  >();
  expectTypeOf<ReturnType<typeof aiSdkLiveTools>["prepareStep"]>().toExtend<
    NonNullable<Generate6["prepareStep"]>
  >();
});

it("AiSdkMessage extends the ModelMessage of each major", () => {
  expectTypeOf<AiSdkMessage>().toExtend<ai7.ModelMessage>();
  expectTypeOf<AiSdkMessage>().toExtend<ai6.ModelMessage>();
});

it("aiSdkTools takes any tool source, with or without options, and is synchronous", () => {
  expectTypeOf(aiSdkTools).toBeCallableWith({} as ToolSource, { include: ["a"], exclude: ["b*"] });
  expectTypeOf(aiSdkTools).toBeCallableWith({} as ToolSource);
  expectTypeOf(aiSdkTools).returns.not.toExtend<PromiseLike<unknown>>();
});
