import { type ContentBlock, isRecord, type JsonObject } from "@jackfield/mcp-core";

/** What a model may be able to see, hear or read besides text. */
export type MediaKind = "image" | "audio" | "video" | "document";

/** The bytes of a content block. */
export interface ContentBytes {
  /** Base64 in the standard alphabet, padded and without white space, as every API takes it. */
  readonly base64: string;
  readonly byteLength: number;
  /** What the bytes are: known from the bytes themselves for images and PDF, else the server's word, in lower case and without parameters. */
  readonly mimeType: string | undefined;
  /** Missing if no model takes such bytes. */
  readonly media: MediaKind | undefined;
}

const DATA_URL = /^data:([^,;]*)(?:;[^,;]*)*;base64,/i;
const WHITE_SPACE = /\s+/g;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Reads what a server sent as bytes: base64 of either alphabet, with or without padding and line ends, or a `data:` URL.
 *
 * @returns `undefined` if there are no bytes, or it is something else, such as an address
 */
export function readBytes(data: string, declaredType?: string | undefined): ContentBytes | undefined {
  const prefix = DATA_URL.exec(data.slice(0, 256));
  const text = (prefix === null ? data : data.slice(prefix[0].length)).replace(WHITE_SPACE, "");
  const bare = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  if (bare === "" || bare.length % 4 === 1 || NOT_BASE64.test(bare)) return undefined;
  const base64 = bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
  const declared = plainType(declaredType) ?? plainType(prefix?.[1]);
  const mimeType = typeOfBytes(base64) ?? (isUnproven(declared) ? undefined : declared);
  return {
    base64,
    byteLength: Math.floor((bare.length * 3) / 4),
    mimeType: mimeType ?? declared,
    media: mediaOf(mimeType),
  };
}

/** What starts as images that models take do, and as PDF does, by the formats' specifications; read as Latin-1. */
const STARTS: readonly (readonly [type: string, isOne: (start: string) => boolean])[] = [
  ["image/png", (start) => start.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (start) => start.startsWith("\xff\xd8\xff")],
  ["image/gif", (start) => /^GIF8[79]a/.test(start)],
  ["image/webp", (start) => start.startsWith("RIFF") && start.startsWith("WEBP", 8)],
  ["application/pdf", (start) => start.includes("%PDF-")],
];

function typeOfBytes(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, 1_400), "base64").toString("latin1");
  return STARTS.find(([, isOne]) => isOne(start))?.[0];
}

/** Types that only the bytes can prove: an API refuses the request if they are something else. */
function isUnproven(type: string | undefined): boolean {
  return type !== undefined && (type.startsWith("image/") || type === "application/pdf");
}

/** Other names of types, to the registered one. */
const ALIASES: Readonly<Record<string, string>> = {
  "audio/mp3": "audio/mpeg",
  "audio/mpeg3": "audio/mpeg",
  "audio/vnd.wave": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/x-mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "application/x-pdf": "application/pdf",
  "image/jpg": "image/jpeg",
};

function plainType(type: string | undefined): string | undefined {
  const [name = ""] = (type ?? "").split(";");
  const plain = name.trim().toLowerCase();
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(plain) ? (ALIASES[plain] ?? plain) : undefined;
}

function mediaOf(type: string | undefined): MediaKind | undefined {
  if (type === "application/pdf") return "document";
  const [, kind] = /^(image|audio|video)\//.exec(type ?? "") ?? [];
  return kind as MediaKind | undefined;
}

/** Types whose bytes are text: `text/…`, formats built on JSON, XML and YAML, and those of programs and their data. */
const TEXT_TYPE =
  /^text\/|[/+.-](?:json5?|jsonl|ndjson|xml|ya?ml|toml|csv|html|(?:java|ecma|type|shell)script|sh|sql|graphql|python|ruby|perl|php|(?:la)?tex|rtf|mpegurl|subrip|mbox|x-www-form-urlencoded)(?:$|[+.-])/;
/** What a server says that says nothing. */
const NO_TYPE: ReadonlySet<string | undefined> = new Set([
  undefined,
  "application/octet-stream",
  "binary/octet-stream",
]);
/** A control character other than white space: bytes with one are a text only if their server says so. */
const CONTROL = /(?!\s)\p{Cc}/u;

/** The text that bytes are: if their server says so, or says nothing and they decode without a doubt. */
function textOf(data: string, declaredType: unknown): string | undefined {
  const declared = typeof declaredType === "string" ? declaredType : undefined;
  const type = plainType(declared);
  const isText = type !== undefined && TEXT_TYPE.test(type);
  if (!isText && !NO_TYPE.has(type)) return undefined;
  const bytes = readBytes(data, declared);
  if (bytes === undefined || (!isText && bytes.media !== undefined)) return undefined;
  const charset = /;\s*charset\s*=\s*"?([\w:-]+)/i.exec(declared ?? "")?.[1];
  const raw = Buffer.from(bytes.base64, "base64");
  const text = decoded(raw, charset ?? (raw[0] === 0xff && raw[1] === 0xfe ? "utf-16le" : "utf-8"));
  if (text === undefined || text.includes("\0")) return undefined;
  return isText || !CONTROL.test(text) ? text : undefined;
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Content blocks with the text where the bytes of one are text, such as a source file that a server sent as a `blob`, or an SVG image.
 * The same list if there is none. Guards call this before they count, mark or scan what a model reads.
 */
export function withTextOfBytes<Blocks extends readonly unknown[]>(blocks: Blocks): Blocks {
  const read = blocks.map(blockWithText);
  return read.every((block, at) => block === blocks[at]) ? blocks : (read as unknown as Blocks);
}

function blockWithText(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { type, data, mimeType, resource, ...rest } = block;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    const text = textOf(data, mimeType);
    return text === undefined ? block : ({ ...rest, type: "text", text } as unknown as ContentBlock);
  }
  if (type !== "resource" || !isRecord(resource)) return block;
  const { blob, ...described }: JsonObject = resource;
  if (typeof blob !== "string" || typeof described.text === "string") return block;
  const text = textOf(blob, described.mimeType);
  return text === undefined ? block : { ...block, resource: { ...described, text } };
}
