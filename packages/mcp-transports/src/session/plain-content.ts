import { isRecord } from "@jackfield/mcp-core";
import { areAnnotationsOrMissing, isRecordOrMissing, isText, isTextOrMissing } from "../plain-values.ts";
import { isPlainResource } from "./plain-lists.ts";

/** Whether a content block of a tool or a prompt is complete and of a type that MCP has. */
export function isPlainBlock(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, annotations, _meta } = block;
  // Most blocks have neither.
  if (annotations !== undefined && !areAnnotationsOrMissing(annotations)) return false;
  if (_meta !== undefined && !isRecord(_meta)) return false;
  switch (type) {
    case "text":
      return typeof block.text === "string";
    case "image":
    case "audio":
      return isText(block.mimeType) && isBase64(block.data);
    case "resource":
      return areResourceContents(block.resource);
    case "resource_link":
      return isPlainResource(block);
    default:
      return false;
  }
}

/** Whether these are the contents of a resource, or of a part of it. */
export function areResourceContents(contents: unknown): boolean {
  if (!isRecord(contents)) return false;
  const { uri, mimeType, _meta, text, blob } = contents;
  return (
    isText(uri) && isTextOrMissing(mimeType) && isRecordOrMissing(_meta) && (isText(text) || isBase64(blob))
  );
}

/** The same check as in the SDK. */
function isBase64(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}
