import type { McpError, ToolInputSchema } from "@jackfield/mcp-core";
import { errorText, type ModelTool } from "@jackfield/mcp-tools";

/** By this symbol the AI SDK knows its own schemas; it is in the global registry so that copies of the SDK agree. */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");
/** By these the SDK knows its own errors. */
const AI_SDK_ERROR = Symbol.for("vercel.ai.error");
const TYPE_VALIDATION_ERROR = Symbol.for("vercel.ai.error.AI_TypeValidationError");

/** Whether input may go to the tool, in the AI SDK's words. The value is the input itself, untouched. */
export type AiSdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/**
 * A JSON Schema as the AI SDK takes it, written without importing the SDK.
 *
 * At run time it is what `jsonSchema()` of the SDK makes, which the SDK hands to the provider untouched. To the type
 * checker it is a Standard Schema, the only form of the SDK's `FlexibleSchema` that is not tied to one copy of the SDK's
 * declarations. It is one in fact as well, for whoever reads it as such; the SDK does not, and should not: of a Standard
 * Schema it closes every object (`additionalProperties: false`), which would change what the server said.
 */
export interface AiSdkSchema {
  /** What the model is shown; made when it is first asked for. */
  readonly jsonSchema: ToolInputSchema;
  /** Checks input against the server's own schema, whatever the model was shown. */
  validate(value: unknown): AiSdkValidation;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "jackfield";
    readonly validate: (
      value: unknown,
    ) => { readonly value: unknown } | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: { readonly input: () => ToolInputSchema; readonly output: () => ToolInputSchema };
  };
}

/** The schema of a tool's input. It is made when it is first looked at: there may be thousands. */
export function aiSdkSchema(tool: ModelTool): AiSdkSchema {
  return new ToolSchema(tool);
}

class ToolSchema implements AiSdkSchema {
  readonly [AI_SDK_SCHEMA] = true;
  readonly #tool: ModelTool;

  constructor(tool: ModelTool) {
    this.#tool = tool;
  }

  get jsonSchema(): ToolInputSchema {
    return this.#tool.fitted.schema;
  }

  get "~standard"(): AiSdkSchema["~standard"] {
    const tool = this.#tool;
    const copy = () => structuredClone(tool.fitted.schema);
    const validate = (value: unknown) => {
      const error = tool.check(value);
      return error === undefined ? { value } : { issues: [{ message: errorText(error) }] };
    };
    return { version: 1, vendor: "jackfield", validate, jsonSchema: { input: copy, output: copy } };
  }

  validate(value: unknown): AiSdkValidation {
    const error = this.#tool.check(value);
    return error === undefined ? { success: true, value } : { success: false, error: refusal(error, value) };
  }
}

/**
 * The error as the SDK's own kind, whose message it gives to the model as it is. Of any other error it writes a message that
 * repeats the whole input.
 */
function refusal(cause: McpError, value: unknown): Error {
  const error = new Error(errorText(cause), { cause });
  return Object.assign(error, { value, [AI_SDK_ERROR]: true, [TYPE_VALIDATION_ERROR]: true });
}
