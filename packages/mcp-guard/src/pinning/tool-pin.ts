import { createHash } from "node:crypto";
import { canonicalJson, type ToolDefinition, type ToolDescriptor } from "@jackfield/mcp-core";

/** A tool as it was when it was accepted. */
export interface ToolPin {
  readonly server: string;
  readonly digest: string;
  readonly tool: PinnedTool;
}

/** `new`: never accepted; `approved`: as it was accepted; `changed`: accepted once, and different now. */
export type PinState = "new" | "approved" | "changed";

/** Pins a tool as it is now. */
export function pinTool({ server, definition }: Pick<ToolDescriptor, "server" | "definition">): ToolPin {
  return { server, digest: pinDigest({ definition }), tool: pinnedTool(definition) };
}

/** Compares a tool with its pin. */
export function pinStateOf(tool: Pick<ToolDescriptor, "definition">, pin: ToolPin | undefined): PinState {
  if (pin === undefined) return "new";
  return pin.digest === pinDigest(tool) ? "approved" : "changed";
}

/**
 * Reads a pin from JSON and recomputes its digest, so that a digest edited by hand has no effect.
 *
 * @returns `undefined` if the value is not a pin.
 */
export function parsePin(server: string, value: unknown): ToolPin | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, inputSchema } = value as Partial<ToolDefinition>;
  if (typeof name !== "string" || typeof inputSchema !== "object" || inputSchema === null) return undefined;
  return pinTool({ server, definition: value as ToolDefinition });
}

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
function pinnedTool(definition: ToolDefinition): PinnedTool {
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
