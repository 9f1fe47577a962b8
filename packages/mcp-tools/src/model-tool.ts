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
} from "./model-call.ts";

/** Options of tools made for models; the names are the same in every adapter. */
export interface ModelToolOptions extends Pick<ModelCallOptions, "onError"> {
  /** The provider that input schemas are fitted for. Default `none`: only an incomplete root is filled in. */
  readonly schemaProfile?: SchemaProfile | undefined;
}

/** A tool of a source with all that an adapter for any framework needs. */
export interface ModelTool {
  readonly descriptor: ToolDescriptor;
  /** The input schema to show, fitted when it is first read. */
  readonly fitted: FittedSchema;
  /** Checks a model's input against the server's own schema. `null` or `undefined` counts as no arguments. */
  check(input: unknown): McpError | undefined;
  /** The arguments in a model's input, unwrapped if the fitted schema wrapped them. */
  argumentsOf(input: unknown): JsonObject;
  /** `callForModel` with the unwrapped arguments. */
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
    return isRecord(args) ? args : {};
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

  refuse(error: McpError): ModelCallResult {
    return failedCall(error, this.descriptor, this.#options.onError);
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
