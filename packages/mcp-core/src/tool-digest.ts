import type { ToolDescriptor } from "./tool.ts";
import { canonicalJson } from "./values.ts";

/** The parts of a descriptor that its digest covers. */
export type DigestedTool = Pick<ToolDescriptor, "server" | "originalName" | "description" | "definition">;

const digests = new WeakMap<DigestedTool, string>();

/**
 * What a tool is: its server, its original name, and everything that a person or a model is shown of it. Whoever judges a tool keeps its
 * digest, and only a tool with the same one may be called because of that judgement.
 *
 * It covers the descriptor as it is offered, after policies such as the cleaning of hidden characters, because that is what was judged.
 * It does not cover the exposed name and the origin, which say nothing about the tool. The order of members in the server's JSON does not
 * matter, so a list that is the same after a reconnect has the same digests.
 *
 * @returns SHA-256 in hexadecimal; computed once for each descriptor object. A definition that cannot be written as JSON, or is nested too
 * deeply for it, is equal to no other: each of its descriptors has a digest of its own.
 */
export function toolDigest(tool: DigestedTool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = digestOf(tool);
  digests.set(tool, digest);
  return digest;
}

function digestOf({ server, originalName, description, definition }: DigestedTool): string {
  // Not imported, because an import of the module slows down every start, and most programs never need it.
  const { createHash, randomBytes } = process.getBuiltinModule("node:crypto");
  try {
    const json = canonicalJson([server, originalName, description, definition]);
    return createHash("sha256").update(json).digest("hex");
  } catch {
    return randomBytes(32).toString("hex");
  }
}
