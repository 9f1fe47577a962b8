import type { ClassifiedResult, ResultPart } from "./classified-result.ts";

/** The part as text. Bytes are named, not written out: base64 means nothing to a model and fills its context. */
export function partText(part: ResultPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return part.mimeType.trim() === "" ? `[${part.kind}]` : `[${part.kind}: ${part.mimeType}]`;
    case "resource-text":
      return `[resource: ${part.uri}]\n${part.text}`;
    case "resource-blob":
      return `[resource: ${part.uri} (${part.mimeType}), content not shown]`;
    case "link":
      return linkText(part);
    case "data":
      return JSON.stringify(part.value);
  }
}

/** The whole result as text, parts separated by a blank line. Never empty: a sentence stands for a result without parts. */
export function resultText({ parts, isError }: ClassifiedResult): string {
  const [first] = parts;
  if (first !== undefined) return parts.length === 1 ? partText(first) : parts.map(partText).join("\n\n");
  return isError ? "The tool reported an error without a message." : "The tool returned nothing.";
}

function linkText({ uri, name, description, mimeType }: Extract<ResultPart, { kind: "link" }>): string {
  const label = name === uri ? uri : `${name} <${uri}>`;
  const link = `[link: ${label}${mimeType === undefined ? "" : ` (${mimeType})`}]`;
  return description === undefined ? link : `${link} ${description}`;
}
