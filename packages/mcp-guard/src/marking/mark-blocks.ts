import type { ContentBlock, ResourceContents, ResourceLink } from "@jackfield/mcp-core";
import { blocksOf, isKnownBlock, jsonText } from "../known-block.ts";
import { cutText } from "../size/cut-text.ts";
import { encloseUntrusted, type Provenance } from "./boundary.ts";

/**
 * Encloses everything that could be a sentence in a content block of a result or a prompt's message. The other fields that a
 * model reads are reduced to their proper form: a URI without spaces, a media type, a plain name. A block of an unknown kind
 * becomes its JSON, enclosed.
 */
export function markBlock(given: unknown, provenance: Provenance): ContentBlock {
  const [block] = blocksOf({ content: [given] });
  if (!isKnownBlock(block)) return { type: "text", text: encloseUntrusted(jsonText(block), provenance) };
  switch (block.type) {
    case "text":
      return { ...block, text: encloseUntrusted(block.text, provenance) };
    case "resource":
      return { ...block, resource: markResource(block.resource, provenance) };
    case "resource_link":
      return markLink(block, provenance);
    default:
      return { ...block, mimeType: plainMediaType(block.mimeType) };
  }
}

/** A resource with its text enclosed; bytes that are no text stay as they are. */
export function markResource(given: ResourceContents, provenance: Provenance): ResourceContents {
  const [block] = blocksOf({ content: [{ type: "resource", resource: given }] });
  const contents = (block as { readonly resource: ResourceContents }).resource;
  const { mimeType } = contents;
  const described = {
    uri: plainUri(contents.uri),
    ...(mimeType === undefined ? {} : { mimeType: plainMediaType(mimeType) }),
  };
  // A server may send `text: null` beside the bytes.
  if (!("text" in contents) || typeof contents.text !== "string") return { ...contents, ...described };
  return { ...contents, ...described, text: encloseUntrusted(contents.text, provenance) };
}

/** Encloses the words of a link together, as its description. The URI replaces a name that is not plain. */
function markLink(link: ResourceLink, provenance: Provenance): ResourceLink {
  const { name, title, description, mimeType, ...rest } = link;
  const uri = plainUri(link.uri);
  const words = [name, title].filter((text) => text !== undefined && !PLAIN_NAME.test(text));
  const prose = [...words, description].filter((text) => text !== undefined).join("\n");
  return {
    ...rest,
    uri,
    name: PLAIN_NAME.test(name) ? name : uri,
    ...(prose === "" ? {} : { description: encloseUntrusted(prose, provenance) }),
    ...(mimeType === undefined ? {} : { mimeType: plainMediaType(mimeType) }),
  };
}

/** Too short and too plain for a sentence. */
const PLAIN_NAME = /^[A-Za-z0-9._-]{1,64}$/;
const PLAIN_MEDIA_TYPE = /^[A-Za-z0-9.+-]{1,64}\/[A-Za-z0-9.+-]{1,64}(?:; ?[A-Za-z0-9.=_-]{1,64}){0,4}$/;
const NOT_IN_ADDRESSES = /[^\x21-\x7e]|[<>"]/gu;
const LONGEST_ADDRESS = 2_048;

function plainMediaType(mimeType: string): string {
  return PLAIN_MEDIA_TYPE.test(mimeType) ? mimeType : "application/octet-stream";
}

/** Cuts a long URI, and percent-encodes what must not stand in one, such as spaces (RFC 3986). */
function plainUri(uri: string): string {
  return cutText(uri.toWellFormed(), LONGEST_ADDRESS).replace(NOT_IN_ADDRESSES, encodeURIComponent);
}
