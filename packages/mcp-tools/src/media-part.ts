import { isBase64 } from "./base64.ts";
import type { MediaPart, ResourceBlobPart, ResultPart } from "./classified-result.ts";

/**
 * Whether models may be able to see or hear the part: images, sounds, videos and PDF documents, also as resources. One without
 * bytes, whose bytes cannot be decoded or whose type is none is not: a provider, or a framework on the way to it, refuses the
 * whole request for it, and an address in place of the bytes may be fetched.
 */
export function isMedia(part: ResultPart): part is MediaPart | ResourceBlobPart {
  if (part.kind !== "resource-blob" && part.kind !== "image" && part.kind !== "audio") return false;
  const type = part.kind === "resource-blob" ? MEDIA_TYPE : ANY_TYPE;
  return type.test(part.mimeType) && /\S/.test(part.data) && isBase64(part.data);
}

const MEDIA_TYPE = /^(?:(?:image|audio|video)\/\S|application\/pdf$)/i;
const ANY_TYPE = /^[^\s/]+\/\S/;
