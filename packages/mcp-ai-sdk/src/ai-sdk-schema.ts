import type { ToolInputSchema } from "@jackfield/mcp-core";

/** By this symbol the AI SDK knows its own schemas; it is in the global registry so that copies of the SDK agree. */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/**
 * A JSON Schema as the AI SDK takes it, written without importing the SDK.
 *
 * At run time it is what `jsonSchema()` of the SDK makes, which the SDK hands to the provider untouched. To the type
 * checker it is a Standard Schema, the only form of the SDK's `FlexibleSchema` that is not tied to one copy of the SDK's
 * declarations. It is one in fact as well, for whoever reads it as such; the SDK does not, and should not: of a Standard
 * Schema it closes every object (`additionalProperties: false`), which would change what the server said.
 */
export interface AiSdkSchema {
  readonly jsonSchema: ToolInputSchema;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "jackfield";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => ToolInputSchema; readonly output: () => ToolInputSchema };
  };
}

/** Wraps a schema. It validates nothing: arguments are checked on the way to the server, and by the server. */
export function aiSdkSchema(jsonSchema: ToolInputSchema): AiSdkSchema {
  const copy = () => structuredClone(jsonSchema);
  const schema = {
    _type: undefined,
    jsonSchema,
    // The SDK asks for the property, and takes `undefined` for "no validation".
    validate: undefined,
    "~standard": {
      version: 1,
      vendor: "jackfield",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  } as const;
  return Object.assign(schema, { [AI_SDK_SCHEMA]: true });
}
