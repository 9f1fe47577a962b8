import type { JsonObject, JsonValue, ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Tells programs where a tool comes from. Frameworks carry it along with calls and results; it is never meant for a model.
 * `title`, `annotations` and `_meta` are from the server's own definition.
 */
export type ToolMetadata = { [key: string]: JsonValue };

/** Describes a tool for programs. */
export function toolMetadata({ server, originalName, origin, definition }: ToolDescriptor): ToolMetadata {
  const { title, annotations, _meta } = definition;
  const metadata: ToolMetadata = { server, tool: originalName, origin };
  const shownTitle = title ?? annotations?.title;
  if (shownTitle !== undefined) metadata.title = shownTitle;
  if (annotations !== undefined) metadata.annotations = asJson(annotations);
  if (_meta !== undefined) metadata._meta = asJson(_meta);
  return metadata;
}

/** Definitions came as JSON, or were made JSON when they were listed. */
function asJson(value: JsonObject): JsonValue {
  return value as JsonValue;
}
