import { isMedia, type MediaPart, type ResourceBlobPart, type ResultPart } from "@jackfield/mcp-tools";
import { isBase64 } from "./base64.ts";

/**
 * Whether a part is given to a model as a file. What is no base64 is named only: the AI SDK would end the run with an error, and
 * an address in its place it would fetch.
 */
export function isFile(part: ResultPart): part is MediaPart | ResourceBlobPart {
  return isMedia(part) && isBase64(part.data);
}
