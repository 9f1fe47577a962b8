import type { JsonObject } from "./values.ts";

/** Who a block is meant for and how much it matters (MCP `Annotations`). */
export type ContentAnnotations = {
  audience?: ("user" | "assistant")[] | undefined;
  /** From 0 (least) to 1 (most important). */
  priority?: number | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
};

type BlockCommon = { annotations?: ContentAnnotations | undefined; _meta?: JsonObject | undefined };

/** A text. */
export type TextContent = BlockCommon & { type: "text"; text: string };

/** `data` is base64. */
export type ImageContent = BlockCommon & { type: "image"; data: string; mimeType: string };

/** `data` is base64. */
export type AudioContent = BlockCommon & { type: "audio"; data: string; mimeType: string };

/** The text of a resource. */
export type TextResourceContents = {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: JsonObject | undefined;
};

/** The bytes of a resource; `blob` is base64. */
export type BlobResourceContents = {
  uri: string;
  mimeType?: string | undefined;
  blob: string;
  _meta?: JsonObject | undefined;
};

/** What a resource holds: text or bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource sent with its contents. */
export type EmbeddedResource = BlockCommon & { type: "resource"; resource: ResourceContents };

/** A link to a resource, sent without its contents. */
export type ResourceLink = BlockCommon & {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
};

/** One block of a tool's result or of a prompt (MCP `ContentBlock`). */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/**
 * The result of `tools/call` as the server sent it.
 *
 * `isError: true` is an answer for the model, not an exception (MCP specification, server/tools, "Error Handling").
 */
export type ToolCallResult = {
  content: ContentBlock[];
  /** Data that follows the tool's `outputSchema`. Any JSON value from protocol 2026-07-28 on, an object before. */
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: JsonObject | undefined;
};
