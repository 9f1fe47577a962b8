import type { JsonObject, McpError, ToolInputSchema } from "@jackfield/mcp-core";
import { errorText, type ModelTool } from "@jackfield/mcp-tools";

/** The symbol that marks the AI SDK's own schemas. It is in the global registry so that copies of the SDK agree. */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");
/** The symbols that mark the SDK's own errors. */
const AI_SDK_ERROR = Symbol.for("vercel.ai.error");
const TYPE_VALIDATION_ERROR = Symbol.for("vercel.ai.error.AI_TypeValidationError");

/** The result of validating input, in the AI SDK's form. `value` is the input, unchanged. */
export type AiSdkValidation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/**
 * A JSON Schema as the AI SDK takes it, written without importing the SDK.
 *
 * At run time it is what the SDK's `jsonSchema()` makes, which the SDK passes to the provider unchanged. To the type checker it is
 * a Standard Schema, the only form of the SDK's `FlexibleSchema` that is not tied to one copy of the SDK's declarations. It also
 * works as a Standard Schema, but the SDK does not use it as one: it would close every object (`additionalProperties: false`) and
 * so change the server's schema.
 */
export interface AiSdkSchema {
  /** The schema shown to the model; made when it is first read. */
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

/** A tool's schema, and the check of what a model gives. */
type CheckedTool = Pick<ModelTool, "fitted" | "check">;

/** The schema of a tool's input. It is made when it is first read, since there may be thousands. */
export function aiSdkSchema(tool: CheckedTool): AiSdkSchema {
  return new ToolSchema(tool);
}

/** The schema of a tool's data, for code that a model writes. It is shown and not checked: the source has checked the answer. */
export function aiSdkOutputSchema(schema: JsonObject): object {
  return {
    [AI_SDK_SCHEMA]: true,
    jsonSchema: schema,
    validate: (value: unknown): AiSdkValidation => ({ success: true, value }),
  };
}

/** Accepts every input: of a stored call, and of one that is refused anyway. */
export const ANY_INPUT: AiSdkSchema = Object.assign(
  {
    jsonSchema: anyObject(),
    validate: (value: unknown) => ({ success: true as const, value }),
    "~standard": {
      version: 1 as const,
      vendor: "jackfield" as const,
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: anyObject, output: anyObject },
    },
  },
  { [AI_SDK_SCHEMA]: true },
);

function anyObject(): ToolInputSchema {
  return { type: "object", properties: {} };
}

class ToolSchema implements AiSdkSchema {
  readonly [AI_SDK_SCHEMA] = true;
  readonly #tool: CheckedTool;

  constructor(tool: CheckedTool) {
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
 * The error in the SDK's own form, whose message the SDK gives to the model unchanged. For any other error the SDK writes a message
 * that repeats the whole input.
 */
function refusal(cause: McpError, value: unknown): Error {
  const error = new Error(errorText(cause), { cause });
  return Object.assign(error, { value, [AI_SDK_ERROR]: true, [TYPE_VALIDATION_ERROR]: true });
}
