import { type DefinedIn, isMcpError, McpError, type SourceLocation } from "@jackfield/mcp-core";
import { pointerPath } from "../read/json-value.ts";
import { describeLocation } from "./diagnostics.ts";

/**
 * Finds the line and column of an entry, for which its file is read again: a definition has only the file and the pointer. It does not
 * reject; if the file is gone or no longer readable, only these are returned.
 */
export async function locate(definedIn: DefinedIn): Promise<SourceLocation> {
  const { file, host, pointer } = definedIn;
  const known = { file, pointer };
  if (file === undefined || pointer === undefined) return known;
  const { placesInFile } = await import("./search.ts");
  const places = await placesInFile(file, host);
  return places?.(pointerPath(pointer)) ?? known;
}

/** An error about an entry, with the line and column in its location and its message. */
export async function placeError(error: unknown, definedIn: DefinedIn): Promise<unknown> {
  const { file } = definedIn;
  if (!isMcpError(error) || file === undefined || error.location?.file !== file) return error;
  if (error.location.line !== undefined) return error;
  const location = await locate(definedIn);
  const message = error.message.replace(`(${file})`, () => `(${describeLocation(location)})`);
  return new McpError(error.code, message, { ...error.toJSON(), location, cause: error.cause });
}
