import { isRecord, type JsonObject, type JsonValue, type ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Tells programs where a tool comes from. Frameworks carry it along with calls and results; it is never meant for a model.
 * `title`, `annotations` and `_meta` are from the server's own definition, and so is `app`: the interface that an MCP App has for the tool.
 */
export type ToolMetadata = { [key: string]: JsonValue };

/** The media type of an MCP App's page (SEP-1865, 2026-01-26). */
const APP_TYPE = "text/html;profile=mcp-app";

/** Describes a tool for programs. */
export function toolMetadata(tool: ToolDescriptor): ToolMetadata {
  const { server, originalName, origin, definition } = tool;
  const { annotations, _meta } = definition;
  const metadata: ToolMetadata = { server, tool: originalName, origin };
  const title = toolTitle(tool);
  if (title !== undefined) metadata.title = title;
  if (annotations !== undefined) metadata.annotations = asJson(annotations);
  if (_meta !== undefined) metadata._meta = asJson(_meta);
  const ui = appOf(tool);
  const address = ui?.resourceUri ?? _meta?.["ui/resourceUri"];
  if (typeof address === "string" && address.startsWith("ui://"))
    metadata.app = asJson({ ...ui, resourceUri: address, mimeType: APP_TYPE });
  return metadata;
}

/** The name that people read: "title", else "annotations.title" (MCP specification, display names). */
export function toolTitle({ definition: { title, annotations } }: ToolDescriptor): string | undefined {
  const shown: unknown = title ?? annotations?.title;
  return typeof shown === "string" && shown.trim() !== "" ? shown : undefined;
}

/** Whether models may see a tool: its MCP App may keep it to itself (`visibility` without `model`). Programs may call it all the same. */
export function isForModels(tool: ToolDescriptor): boolean {
  const visibility = appOf(tool)?.visibility;
  return visibility === undefined || visibility === null || [visibility].flat().includes("model");
}

function appOf({ definition: { _meta } }: ToolDescriptor): JsonObject | undefined {
  return isRecord(_meta?.ui) ? _meta.ui : undefined;
}

/** Definitions came as JSON, or were made JSON when they were listed. */
function asJson(value: JsonObject): JsonValue {
  return value as JsonValue;
}
