import type { ToolInputSchema } from "@jackfield/mcp-core";

/**
 * The schema to show a model: the server's own object, unchanged, if its root is what the protocol and the model providers
 * ask for, an object with `properties`. If not, a copy in which the root is one; the rest of it stays as the server wrote
 * it. A root that is no schema object at all becomes the schema of any object.
 */
export function modelInputSchema(schema: unknown): ToolInputSchema {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return { type: "object", properties: {} };
  }
  const { type, properties } = schema as Partial<ToolInputSchema>;
  if (type === "object" && properties !== undefined) return schema as ToolInputSchema;
  return { ...schema, type: "object", properties: properties ?? {} };
}
