import { isRecord, type JsonObject, type JsonValue, type ToolInputSchema } from "@jackfield/mcp-core";
import { type ChangeReport, createChangeReport, type SchemaChange } from "../schema/schema-change.ts";
import { createSchemaIndex, SchemaTooLarge } from "../schema/schema-index.ts";
import type { JsonSchema } from "../schema/subschemas.ts";
import { fitSchemaParts } from "./schema-fitter.ts";
import { checkProfile, PROFILE_RULES, type SchemaProfile } from "./schema-profile.ts";

/** The property that holds the arguments where a root had to be wrapped. */
const WRAPPER_PROPERTY = "input";

/** How a schema is fitted. */
export interface FitOptions {
  /** Default `none`. */
  readonly profile?: SchemaProfile | undefined;
}

/** A schema as it is offered to a model. Arguments are still checked against the server's own. */
export interface FittedSchema {
  readonly schema: ToolInputSchema;
  /** The changes to the server's schema, at most the first 1,000. */
  readonly changes: readonly SchemaChange[];
  /** Whether the model gives the arguments in the property `input`. */
  readonly isWrapped: boolean;
  /** Extracts the arguments from what a model gave. */
  unwrap(input: unknown): unknown;
}

/**
 * Fits a tool's input schema to what a provider accepts. The server's object is never changed, nothing is fetched, the same
 * schema always gives the same bytes, and arguments that are valid for the server's schema are valid for the fitted one.
 *
 * A schema that is not an object, is too deep or has too many parts is replaced by one that accepts any object.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a profile that does not exist
 */
export function fitSchema(schema: unknown, { profile = "none" }: FitOptions = {}): FittedSchema {
  checkProfile(profile);
  const report = createChangeReport();
  if (!isRecord(schema)) return anyObject(report, "The schema is not an object.");
  if (profile === "none") return unwrapped(completeRoot(schema, report), report);
  try {
    const { root, definitions } = fitSchemaParts(createSchemaIndex(schema), PROFILE_RULES[profile], report);
    return fitRoot(root, definitions, report);
  } catch (error) {
    if (error instanceof SchemaTooLarge || error instanceof RangeError)
      return anyObject(report, "The schema is too large to adapt.");
    throw error;
  }
}

/** Keywords that no provider takes beside `type: object` at the root. */
const ROOT_UNIONS = ["$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"];

function fitRoot(root: JsonSchema, definitions: JsonObject, report: ChangeReport): FittedSchema {
  const defs = Object.keys(definitions).length > 0 ? { $defs: definitions } : {};
  if (isRecord(root) && mayBeRoot(root)) return unwrapped({ ...completeRoot(root, report), ...defs }, report);
  const message = `The root is not a plain object: the arguments are in the property \`${WRAPPER_PROPERTY}\`.`;
  report.add({ pointer: "", kind: "wrapped", message });
  const properties = { [WRAPPER_PROPERTY]: root as JsonValue };
  const schema: ToolInputSchema = { type: "object", properties, required: [WRAPPER_PROPERTY], ...defs };
  return { schema, changes: report.changes, isWrapped: true, unwrap: unwrapInput };
}

function mayBeRoot(root: JsonObject): boolean {
  if (ROOT_UNIONS.some((keyword) => root[keyword] !== undefined)) return false;
  return root.type === undefined || [root.type].flat().includes("object");
}

/** Also accepts arguments without the wrapper, which a model may forget. */
function unwrapInput(input: unknown): unknown {
  if (!isRecord(input) || !Object.hasOwn(input, WRAPPER_PROPERTY)) return input;
  return Object.keys(input).length === 1 ? input[WRAPPER_PROPERTY] : input;
}

/**
 * The schema itself if its root has `type: object` and `properties`; otherwise a copy with both. Arguments are always an
 * object.
 */
function completeRoot(root: JsonObject, report: ChangeReport): ToolInputSchema {
  const { type, properties } = root as Partial<ToolInputSchema>;
  if (type === "object" && isRecord(properties)) return root as ToolInputSchema;
  for (const [keyword, isMissing] of Object.entries({
    type: type !== "object",
    properties: !isRecord(properties),
  }))
    if (isMissing)
      report.add({
        pointer: "",
        kind: "added",
        keyword,
        message: `\`${keyword}\` of the root was filled in.`,
      });
  return { ...root, type: "object", properties: isRecord(properties) ? properties : {} };
}

function anyObject(report: ChangeReport, message: string): FittedSchema {
  report.add({ pointer: "", kind: "removed", message: `${message} Any object is allowed instead.` });
  return unwrapped({ type: "object", properties: {} }, report);
}

function unwrapped(schema: ToolInputSchema, { changes }: ChangeReport): FittedSchema {
  return { schema, changes, isWrapped: false, unwrap: (input) => input };
}
