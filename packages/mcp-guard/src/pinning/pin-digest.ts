import { createHash } from "node:crypto";
import { canonicalJson, type ToolDefinition, type ToolDescriptor } from "@jackfield/mcp-core";

/** The fields of a tool that a model reads or a caller relies on. Other fields do not affect the digest. */
export const PINNED_FIELDS = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
] as const;

/** The pinned fields of a tool, in the order of `PINNED_FIELDS`. */
export type PinnedTool = Pick<ToolDefinition, (typeof PINNED_FIELDS)[number]>;

/** The pinned fields alone. */
export function pinnedTool(definition: ToolDefinition): PinnedTool {
  const fields = PINNED_FIELDS.filter((field) => definition[field] !== undefined);
  return Object.fromEntries(fields.map((field) => [field, definition[field]])) as PinnedTool;
}

const digests = new WeakMap<object, string>();

/**
 * SHA-256 of the pinned fields, in hexadecimal. The order of members in the server's JSON does not matter. Unlike the digest by which a call
 * is judged (`toolDigest` of `@jackfield/mcp-core`) it depends on no server and on no `_meta`, because pins and locks are kept for long.
 */
export function pinDigest({ definition }: Pick<ToolDescriptor, "definition">): string {
  const known = digests.get(definition);
  if (known !== undefined) return known;
  const digest = createHash("sha256")
    .update(canonicalJson(pinnedTool(definition)))
    .digest("hex");
  digests.set(definition, digest);
  return digest;
}
