import type { ContentAnnotations, ResourceContents } from "./content.ts";
import type { JsonObject } from "./json.ts";

/** A resource as its server lists it (MCP `Resource`). */
export type ResourceDefinition = {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Bytes, before encoding. */
  size?: number | undefined;
  annotations?: ContentAnnotations | undefined;
  _meta?: JsonObject | undefined;
};

/** A family of resources, addressed by an RFC 6570 template (MCP `ResourceTemplate`). */
export type ResourceTemplateDefinition = {
  uriTemplate: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: ContentAnnotations | undefined;
  _meta?: JsonObject | undefined;
};

/** The result of `resources/read`. */
export type ReadResourceResult = { contents: ResourceContents[]; _meta?: JsonObject | undefined };
