import { isRecord } from "@jackfield/mcp-core";

/** A JSON Schema, or a part of one, as a server has sent it. */
type Schema = unknown;
type Keywords = { readonly [keyword: string]: unknown };

/** Limits of depth and size: what lies beyond them is `unknown`. */
const DEEPEST = 12;
const MOST_PARTS = 2_000;
const LONGEST_REMARK = 200;

/** The state of one translation. */
interface Writing {
  readonly root: Schema;
  /** Whether it is for people: on one line, without descriptions and with names as they are typed. */
  readonly isShort: boolean;
  parts: number;
}

/** The current position in the schema. */
interface Place {
  readonly depth: number;
  /** References that were followed to get here; following one again would never end. */
  readonly followed: readonly string[];
}

/**
 * The TypeScript type of the values that a JSON Schema accepts. It accepts more than the schema where a type cannot express a constraint,
 * never less. Only references within the schema are followed; nothing is fetched. The text is plain ASCII, and no text of the schema can
 * break out of its literal or comment.
 */
export function schemaType(schema: Schema): string {
  return typeOf(schema, { root: schema, isShort: false, parts: 0 }, { depth: 0, followed: [] });
}

/** The same type on one line and without descriptions, for people. */
export function shortSchemaType(schema: Schema, root: Schema = schema): string {
  return typeOf(schema, { root, isShort: true, parts: 0 }, { depth: 0, followed: [] });
}

/** A tool's arguments as a function's: `path: string, lines?: number`. */
export function shortArguments(schema: Schema): string {
  return argumentsOf(schema)
    .map(({ name, isRequired, type }) => `${shortName(name)}${isRequired ? "" : "?"}: ${type}`)
    .join(", ");
}

/** One argument of a tool. */
export interface ToolArgument {
  readonly name: string;
  readonly isRequired: boolean;
  /** As one line of TypeScript. */
  readonly type: string;
  readonly schema: Schema;
}

/** The arguments of a tool, required ones first. */
export function argumentsOf(schema: Schema): readonly ToolArgument[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return [];
  const { required } = schema;
  const all = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    isRequired: Array.isArray(required) && required.includes(name),
    type: shortSchemaType(property, schema),
    schema: property,
  }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** A name without quotation marks where TypeScript needs none. */
function shortName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** A string literal in plain ASCII, so that it hides no characters. */
export function stringLiteral(text: string): string {
  return asciiOnly(JSON.stringify(text));
}

/** A description as a comment of one line; empty for none. */
export function remark(text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const line = text.replace(/\s+/g, " ").trim();
  const short = line.length > LONGEST_REMARK ? `${line.slice(0, LONGEST_REMARK)}...` : line;
  return `/** ${asciiOnly(short).replaceAll("*/", "*\\/")} */`;
}

function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function typeOf(schema: Schema, writing: Writing, place: Place): string {
  writing.parts += 1;
  if (schema === false) return "never";
  if (!isRecord(schema) || place.depth > DEEPEST || writing.parts > MOST_PARTS) return "unknown";
  const parts = [
    ...referenced(schema, writing, place),
    ...combined(schema, writing, place),
    // Values in `enum` or `const` imply their type.
    ...(listed(schema) ?? plain(schema, writing, place)),
  ].filter((part) => part !== "unknown");
  return parts.length === 0 ? "unknown" : joined(parts, "&");
}

function referenced({ $ref }: Keywords, writing: Writing, { depth, followed }: Place): readonly string[] {
  if (typeof $ref !== "string" || followed.includes($ref)) return [];
  const target = lookUp(writing.root, $ref);
  return [typeOf(target, writing, { depth: depth + 1, followed: [...followed, $ref] })];
}

/** What a reference such as `#/$defs/item` names in the same schema. */
export function lookUp(root: Schema, reference: string): Schema {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  const steps = reference.split("/").slice(1);
  let found: Schema = root;
  for (const step of steps) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Keywords)[key];
  }
  return found;
}

function listed({ enum: values, const: value }: Keywords): readonly string[] | undefined {
  if (Array.isArray(values)) return [union(values.map(literal))];
  return value === undefined ? undefined : [literal(value)];
}

function literal(value: unknown): string {
  if (typeof value === "string") return stringLiteral(value);
  const isSimple = value === null || typeof value === "boolean" || Number.isFinite(value);
  return isSimple ? String(value) : "unknown";
}

function combined(schema: Keywords, writing: Writing, place: Place): readonly string[] {
  const inner = { ...place, depth: place.depth + 1 };
  const types = (list: unknown) =>
    Array.isArray(list) ? list.map((part) => typeOf(part, writing, inner)) : [];
  const alternatives = [types(schema.anyOf), types(schema.oneOf)].filter((list) => list.length > 0);
  return [...types(schema.allOf), ...alternatives.map(union)];
}

function plain(schema: Keywords, writing: Writing, place: Place): readonly string[] {
  const { type, properties, items, prefixItems } = schema;
  if (Array.isArray(type)) return [union(type.map((one) => plainType(one, schema, writing, place)))];
  if (type !== undefined) return [plainType(type, schema, writing, place)];
  if (isRecord(properties)) return [plainType("object", schema, writing, place)];
  return items === undefined && prefixItems === undefined ? [] : [plainType("array", schema, writing, place)];
}

function plainType(type: unknown, schema: Keywords, writing: Writing, place: Place): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return type;
    case "integer":
      return "number";
    case "array":
      return arrayType(schema, writing, { ...place, depth: place.depth + 1 });
    case "object":
      return objectType(schema, writing, { ...place, depth: place.depth + 1 });
    default:
      return "unknown";
  }
}

function arrayType({ items, prefixItems }: Keywords, writing: Writing, place: Place): string {
  if (!Array.isArray(prefixItems)) return `${enclosed(typeOf(items, writing, place))}[]`;
  // An array may be shorter than its `prefixItems`.
  const first = prefixItems.map((item) => `${enclosed(typeOf(item, writing, place))}?`);
  const rest = items === false ? [] : [`...${enclosed(typeOf(items, writing, place))}[]`];
  return `[${[...first, ...rest].join(", ")}]`;
}

function objectType(schema: Keywords, writing: Writing, place: Place): string {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const { required, additionalProperties: others } = schema;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const members = properties.flatMap(([name, property]) => {
    const said = isRecord(property) && !writing.isShort ? remark(property.description) : "";
    const member = `${writing.isShort ? shortName(name) : stringLiteral(name)}${isRequired(name) ? "" : "?"}: ${typeOf(property, writing, place)};`;
    return said === "" ? [member] : [said, member];
  });
  const { patternProperties } = schema;
  const hasPatterns = isRecord(patternProperties) && Object.keys(patternProperties).length > 0;
  if (members.length === 0) {
    // A type cannot express name patterns.
    if (hasPatterns) return "{ [name: string]: unknown }";
    return others === false
      ? "Record<string, never>"
      : `{ [name: string]: ${typeOf(others, writing, place)} }`;
  }
  // Additional properties can have no type of their own: the index signature covers the named ones as well.
  if (hasPatterns || others === true || isRecord(others)) members.push("[name: string]: unknown;");
  if (writing.isShort) return `{ ${members.join(" ").replace(/;$/, "")} }`;
  const body = members.join("\n").replace(/^/gm, "  ");
  return `{\n${body}\n}`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes("unknown")) return "unknown";
  return distinct.length === 0 ? "never" : joined(distinct, "|");
}

function joined(types: readonly string[], operator: "&" | "|"): string {
  return types.length === 1 ? types.join() : types.map(enclosed).join(` ${operator} `);
}

/** A type that can be an operand; superfluous parentheses do no harm. */
function enclosed(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}
