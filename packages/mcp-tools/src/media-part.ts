import { isBase64 } from "./base64.ts";
import type { MediaPart, ResourceBlobPart, ResultPart } from "./classified-result.ts";

/**
 * Whether a part is media that models may be able to see or hear: images, audio, videos and PDF documents, also as resources. A
 * part without bytes, with invalid base64 or without a proper media type is not: a provider, or a framework on the way to it,
 * would refuse the whole request, or might fetch a URL given in place of the bytes.
 */
export function isMedia(part: ResultPart): part is MediaPart | ResourceBlobPart {
  if (part.kind !== "resource-blob" && part.kind !== "image" && part.kind !== "audio") return false;
  const type = part.kind === "resource-blob" ? MEDIA_TYPE : ANY_TYPE;
  return type.test(part.mimeType) && /\S/.test(part.data) && isBase64(part.data);
}

const MEDIA_TYPE = /^(?:(?:image|audio|video)\/\S|application\/pdf$)/i;
const ANY_TYPE = /^[^\s/]+\/\S/;
