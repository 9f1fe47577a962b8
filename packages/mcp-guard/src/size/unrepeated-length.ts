import { isKnownBlock, jsonText } from "../known-block.ts";

/**
 * How many characters structured content adds to the texts that came with it. Servers send the same content twice, as the
 * specification asks, and a model is not shown again what the texts say. A value whose members are in another order than in a
 * text counts as new. Linear in the size of both.
 *
 * @param json - the structured content
 * @param isWhole - whether the content stays as the server sent it, without a notice after it
 */
export function unrepeatedLength(json: string, content: readonly unknown[], isWhole: boolean): number {
  const structured = parsed(json);
  if (typeof structured !== "object" || structured === null) return json.length;
  const contentTexts = contentTextsOf(content, isWhole);
  if (contentTexts.values.has(json)) return 0;
  if (Array.isArray(structured)) return json.length;
  const members = Object.entries(structured);
  const unrepeated = members.filter(([, value]) => {
    if (typeof value === "string") return !contentTexts.texts.has(value);
    return typeof value !== "object" || value === null || !contentTexts.values.has(jsonText(value));
  });
  if (unrepeated.length === members.length) return json.length;
  return unrepeated.length === 0 ? 0 : jsonText(Object.fromEntries(unrepeated)).length;
}

/** The texts of a result, as they are and as JSON. */
interface ContentTexts {
  readonly texts: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

function contentTextsOf(content: readonly unknown[], isWhole: boolean): ContentTexts {
  const texts = content.flatMap((block) =>
    isKnownBlock(block) && block.type === "text" && block.text !== "" ? [block.text] : [],
  );
  const values = texts.flatMap((text) => {
    const value = parsed(text);
    return typeof value === "object" && value !== null ? [jsonText(value)] : [];
  });
  // Blocks of an unknown kind are shown as text too, and would stand between the others.
  const isJoined = isWhole && texts.length > 0 && content.every(isKnownBlock);
  return {
    texts: new Set(isJoined ? [...texts, texts.join("\n")] : texts),
    values: new Set(isWhole ? [...values, jsonText(content)] : values),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
