import type { JsonObject, McpError, ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { createArgumentCheck } from "./argument-check.ts";
import { type FittedSchema, fitSchema } from "./fitting/fit-schema.ts";
import type { SchemaProfile } from "./fitting/schema-profile.ts";
import { callForModel, type ModelCallOptions, type ModelCallResult } from "./model-call.ts";
import { isObject } from "./schema/subschemas.ts";

/** How tools are made for models; the names are the same in every adapter. */
export interface ModelToolOptions extends Pick<ModelCallOptions, "onError"> {
  /** For whose models input schemas are fitted. Default `none`: as the servers wrote them. */
  readonly schemaProfile?: SchemaProfile | undefined;
}

/** A tool of a source with all that an adapter needs of it, whatever its framework. */
export interface ModelTool {
  readonly descriptor: ToolDescriptor;
  /** The input schema to show, made when it is first asked for. */
  readonly fitted: FittedSchema;
  /** What is wrong with what a model gave, by the server's own schema. Nothing counts as no arguments. */
  check(input: unknown): McpError | undefined;
  /** The arguments within what a model gave, taken out of what a fitted schema wrapped them in. */
  argumentsOf(input: unknown): JsonObject;
  /** `callForModel`, with the arguments taken out of what a fitted schema wrapped them in. */
  call(input: unknown, options?: ModelCallOptions): Promise<ModelCallResult>;
}

/** Makes a tool for models. It does nothing until it is asked: thousands are made in milliseconds. */
export function createModelTool(
  source: ToolSource,
  descriptor: ToolDescriptor,
  { schemaProfile, onError }: ModelToolOptions = {},
): ModelTool {
  const checkArguments = createArgumentCheck(descriptor);
  let fitted: FittedSchema | undefined;
  const fit = () => {
    fitted ??= fitSchema(descriptor.definition.inputSchema, { profile: schemaProfile });
    return fitted;
  };
  return {
    descriptor,
    get fitted() {
      return fit();
    },
    argumentsOf: (input) => {
      const args = fit().unwrap(input ?? {});
      return isObject(args) ? args : {};
    },
    check: (input) => checkArguments(fit().unwrap(input ?? {})),
    call: (input, options) =>
      callForModel(source, descriptor, fit().unwrap(input ?? {}), { onError, ...options, checkArguments }),
  };
}
