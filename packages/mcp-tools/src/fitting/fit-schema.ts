import { isRecord, type JsonObject, type JsonValue, type ToolInputSchema } from "@jackfield/mcp-core";
import { type ChangeReport, createChangeReport, type SchemaChange } from "../schema/schema-change.ts";
import { createSchemaIndex, SchemaTooLarge } from "../schema/schema-index.ts";
import type { JsonSchema } from "../schema/subschemas.ts";
import { finalForm } from "./final-form.ts";
import { fitSchemaParts } from "./schema-fitter.ts";
import {
  checkProfile,
  type KnownProfile,
  type ProfileRules,
  rulesOf,
  type SchemaProfile,
} from "./schema-profile.ts";

/** The property that holds the arguments where a root had to be wrapped. */
const WRAPPER_PROPERTY = "input";

/** How a schema is fitted. */
export interface FitOptions {
  /** Default `universal`, which is also what `auto` means here. */
  readonly profile?: SchemaProfile | undefined;
}

/** A schema as it is offered to a model. Arguments are still checked against the server's own. */
export interface FittedSchema {
  readonly schema: ToolInputSchema;
  /** The changes to the server's schema, at most the first 1,000. */
  readonly changes: readonly SchemaChange[];
  /** Whether the model gives the arguments in the property `input`. */
  readonly isWrapped: boolean;
  /** The arguments for the server in what a model gave for `schema`. */
  unwrap(input: unknown): unknown;
}

/**
 * Fits a tool's input schema to what a provider accepts. The server's object is never changed, nothing is fetched, the same
 * schema always gives the same bytes, and arguments that are valid for the server's schema can be given for the fitted one.
 *
 * A schema that is not an object, is too deep or has too many parts is replaced by one that accepts any object.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a profile that does not exist
 */
export function fitSchema(schema: unknown, { profile = "universal" }: FitOptions = {}): FittedSchema {
  checkProfile(profile);
  const known = profile === "auto" ? "universal" : profile;
  if (!isRecord(schema)) return fitted(schema, known);
  const made = FITTED.get(schema) ?? new Map<KnownProfile, FittedSchema>();
  const result = made.get(known) ?? fitted(schema, known);
  FITTED.set(schema, made.set(known, result));
  return result;
}

/** What was made of each schema: a program makes the same tools anew for every request. */
const FITTED = new WeakMap<object, Map<KnownProfile, FittedSchema>>();

function fitted(schema: unknown, profile: KnownProfile): FittedSchema {
  const report = createChangeReport();
  const rules = rulesOf(profile);
  if (!isRecord(schema)) return anyObject(report, rules, "The schema is not an object.");
  try {
    if (rules === undefined) return inFinalForm(completeRoot(schema, report), rules, report);
    const { root, definitions } = fitSchemaParts(createSchemaIndex(schema), rules, report);
    return fitRoot(root, definitions, rules, report);
  } catch (error) {
    if (error instanceof SchemaTooLarge || error instanceof RangeError)
      return anyObject(report, rules, "The schema is too large to adapt.");
    throw error;
  }
}

/** Keywords that no provider takes beside `type: object` at the root. */
const ROOT_UNIONS = ["$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"];

function fitRoot(
  root: JsonSchema,
  definitions: JsonObject,
  rules: ProfileRules,
  report: ChangeReport,
): FittedSchema {
  const defs = Object.keys(definitions).length > 0 ? { $defs: definitions } : {};
  if (isRecord(root) && mayBeRoot(root))
    return inFinalForm({ ...completeRoot(root, report), ...defs }, rules, report);
  const message = `The root is not a plain object: the arguments are in the property \`${WRAPPER_PROPERTY}\`.`;
  report.add({ pointer: "", kind: "wrapped", message });
  const properties = { [WRAPPER_PROPERTY]: root as JsonValue };
  const schema: ToolInputSchema = { type: "object", properties, required: [WRAPPER_PROPERTY], ...defs };
  const { unwrap, ...form } = inFinalForm(schema, rules, report);
  return { ...form, isWrapped: true, unwrap: (input) => unwrapInput(input, unwrap) };
}

function inFinalForm(
  schema: ToolInputSchema,
  rules: ProfileRules | undefined,
  report: ChangeReport,
): FittedSchema {
  const { schema: final, restore } = finalForm(schema, rules, report);
  return { schema: final, changes: report.changes, isWrapped: false, unwrap: restore };
}

function mayBeRoot(root: JsonObject): boolean {
  if (ROOT_UNIONS.some((keyword) => root[keyword] !== undefined)) return false;
  return root.type === undefined || [root.type].flat().includes("object");
}

/** Also accepts arguments without the wrapper, which a model may forget. */
function unwrapInput(input: unknown, restore: (args: unknown) => unknown): unknown {
  if (!isRecord(input)) return input;
  const isWrapped = Object.hasOwn(input, WRAPPER_PROPERTY) && Object.keys(input).length === 1;
  const restored = restore(isWrapped ? input : { [WRAPPER_PROPERTY]: input });
  return isRecord(restored) ? restored[WRAPPER_PROPERTY] : restored;
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

function anyObject(report: ChangeReport, rules: ProfileRules | undefined, message: string): FittedSchema {
  report.add({ pointer: "", kind: "removed", message: `${message} Any object is allowed instead.` });
  return inFinalForm({ type: "object", properties: {} }, rules, report);
}
