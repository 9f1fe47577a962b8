import type { JsonObject, McpError, ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { createArgumentCheck } from "./argument-check.ts";
import { type FittedSchema, fitSchema } from "./fitting/fit-schema.ts";
import { checkProfile, type SchemaProfile } from "./fitting/schema-profile.ts";
import {
  callForModel,
  callTool,
  type ModelCallOptions,
  type ModelCallResult,
  type ToolCalls,
} from "./model-call.ts";
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

/**
 * Makes a tool for models. It does nothing until it is asked: thousands are made in milliseconds.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a schema profile that does not exist
 */
export function createModelTool(
  source: ToolSource,
  descriptor: ToolDescriptor,
  options: ModelToolOptions = {},
): ModelTool {
  checkProfile(options.schemaProfile);
  return new LazyModelTool(source, descriptor, options);
}

class LazyModelTool implements ModelTool {
  readonly descriptor: ToolDescriptor;
  readonly #source: ToolSource;
  readonly #options: ModelToolOptions;
  #fitted: FittedSchema | undefined;
  #calls: ToolCalls | undefined;

  constructor(source: ToolSource, descriptor: ToolDescriptor, options: ModelToolOptions) {
    this.descriptor = descriptor;
    this.#source = source;
    this.#options = options;
  }

  get fitted(): FittedSchema {
    this.#fitted ??= fitSchema(this.descriptor.definition.inputSchema, {
      profile: this.#options.schemaProfile,
    });
    return this.#fitted;
  }

  argumentsOf(input: unknown): JsonObject {
    const args = this.#unwrap(input);
    return isObject(args) ? args : {};
  }

  check(input: unknown): McpError | undefined {
    return this.#toolCalls().checkArguments(this.#unwrap(input));
  }

  call(input: unknown, options: ModelCallOptions = {}): Promise<ModelCallResult> {
    const calls = this.#toolCalls();
    const args = this.#unwrap(input);
    if (!("onError" in options || "checkArguments" in options)) return callTool(calls, args, options);
    const { onError, checkArguments } = calls;
    return callForModel(this.#source, this.descriptor, args, { onError, ...options, checkArguments });
  }

  #unwrap(input: unknown): unknown {
    return this.fitted.unwrap(input ?? {});
  }

  #toolCalls(): ToolCalls {
    this.#calls ??= {
      source: this.#source,
      tool: this.descriptor,
      onError: this.#options.onError,
      checkArguments: createArgumentCheck(this.descriptor),
    };
    return this.#calls;
  }
}
