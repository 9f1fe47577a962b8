import {
  isRecord,
  type JsonObject,
  type McpError,
  type ToolDescriptor,
  type ToolSource,
} from "@jackfield/mcp-core";
import { createArgumentCheck } from "./argument-check.ts";
import { type FittedSchema, fitSchema } from "./fitting/fit-schema.ts";
import { checkProfile, type SchemaProfile } from "./fitting/schema-profile.ts";
import {
  callForModel,
  callTool,
  failedCall,
  type ModelCallOptions,
  type ModelCallResult,
  type ToolCalls,
  withoutUndefined,
} from "./model-call.ts";
import { toolTitle } from "./tool-metadata.ts";

/** Options of tools made for models; the names are the same in every adapter. */
export interface ModelToolOptions extends Pick<ModelCallOptions, "onError"> {
  /** What input schemas are fitted for. Default `auto`: the API of the model where the adapter knows it, else what every API accepts. */
  readonly schemaProfile?: SchemaProfile | undefined;
}

/** A tool of a source with all that an adapter for any framework needs. */
export interface ModelTool {
  readonly descriptor: ToolDescriptor;
  /** The description to show: well-formed, and never empty, since some APIs refuse that. */
  readonly description: string;
  /** The input schema to show, fitted when it is first read. */
  readonly fitted: FittedSchema;
  /** Checks a model's input against the server's own schema. `null` or `undefined` counts as no arguments. */
  check(input: unknown): McpError | undefined;
  /** The arguments in a model's input, as the server gets them. */
  argumentsOf(input: unknown): JsonObject;
  /** `callForModel` with the arguments in a model's input. */
  call(input: unknown, options?: ModelCallOptions): Promise<ModelCallResult>;
  /** The result of a call that is not made, because the adapter refuses it with this error. */
  refuse(error: McpError): ModelCallResult;
}

/**
 * Makes a tool for models. All its work is lazy: thousands are made in milliseconds.
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

/** A class, because thousands of objects with getters of their own take a hundred times as long to make. */
class LazyModelTool implements ModelTool {
  readonly descriptor: ToolDescriptor;
  readonly #source: ToolSource;
  readonly #options: ModelToolOptions;
  #calls: ToolCalls | undefined;

  constructor(source: ToolSource, descriptor: ToolDescriptor, options: ModelToolOptions) {
    this.descriptor = descriptor;
    this.#source = source;
    this.#options = options;
  }

  get description(): string {
    const { description, originalName } = this.descriptor;
    const shown = description.trim() === "" ? (toolTitle(this.descriptor) ?? originalName) : description;
    return shown.toWellFormed();
  }

  get fitted(): FittedSchema {
    const { inputSchema } = this.descriptor.definition;
    return fitSchema(inputSchema, { profile: this.#options.schemaProfile });
  }

  argumentsOf(input: unknown): JsonObject {
    const args = this.#argumentsIn(input);
    return isRecord(args) ? args : {};
  }

  check(input: unknown): McpError | undefined {
    return this.#toolCalls().checkArguments(this.#argumentsIn(input));
  }

  call(input: unknown, options: ModelCallOptions = {}): Promise<ModelCallResult> {
    const calls = this.#toolCalls();
    const args = this.#argumentsIn(input);
    if (!("onError" in options || "checkArguments" in options)) return callTool(calls, args, options);
    const { onError, checkArguments } = calls;
    return callForModel(this.#source, this.descriptor, args, { onError, ...options, checkArguments });
  }

  refuse(error: McpError): ModelCallResult {
    return failedCall(error, this.descriptor, this.#options.onError);
  }

  #argumentsIn(input: unknown): unknown {
    return this.fitted.unwrap(withoutUndefined(input ?? {}));
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
