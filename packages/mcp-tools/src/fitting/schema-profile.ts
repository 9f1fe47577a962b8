import { isRecord, McpError } from "@jackfield/mcp-core";

/**
 * What schemas are fitted for. `auto`: the API of the model where it is known, else `universal`. `universal`: what every API accepts.
 * `strict`: the form that OpenAI's strict tools require. `none`: the server's own schema, with only an incomplete root completed. An object
 * lists the keywords that an API accepts.
 */
export type SchemaProfile =
  | "auto"
  | "universal"
  | "openai"
  | "anthropic"
  | "gemini"
  | "vertex"
  | "kimi"
  | "xai"
  | "strict"
  | "none"
  | { readonly keywords: readonly string[] };

/** A profile that says what to do. */
export type KnownProfile = Exclude<SchemaProfile, "auto">;

/** What an API accepts, by its documentation and its responses to schemas: docs/decisions/0032 has the sources. */
export interface ProfileRules {
  /** The only keywords it accepts. Missing: all. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** Keywords it does not accept, if `keywords` is missing. */
  readonly refused?: ReadonlySet<string> | undefined;
  /** `$ref` is understood, so recursion can stay. */
  readonly references: boolean;
  /** The only values of `format` it accepts. Missing: any. */
  readonly formats?: ReadonlySet<string> | undefined;
  /** The names of properties it accepts; others are shown under another name. */
  readonly names?: RegExp | undefined;
  /** Requires one `type` for each schema, an `enum` of strings, and `anyOf` as the only combination. */
  readonly plainTypes: boolean;
  /** An array schema must have `items`. */
  readonly listsHaveItems: boolean;
  /** Patterns with lookarounds or back-references are refused. */
  readonly plainPatterns: boolean;
  /** Names in `required` must be among the `properties`. */
  readonly declaredNames: boolean;
  /** Nothing may stand beside `anyOf`, and every other schema must have a `type`. */
  readonly unionsAlone: boolean;
  /** Every object is closed, and every property required; one that is optional may be `null`. */
  readonly isStrict: boolean;
}

const GEMINI_KEYWORDS = [
  ...[
    "anyOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
  ],
  ...[
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
  ],
];
const STRICT_KEYWORDS = [
  ...[
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
  ],
  ...[
    "maximum",
    "maxItems",
    "minimum",
    "minItems",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
  ],
];

/** What Anthropic accepts as the name of a property. */
const PLAIN_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

const OPENAI: ProfileRules = {
  refused: new Set(["propertyNames"]),
  references: true,
  plainTypes: false,
  listsHaveItems: true,
  plainPatterns: true,
  declaredNames: false,
  unionsAlone: false,
  isStrict: false,
};

const GEMINI: ProfileRules = {
  ...OPENAI,
  keywords: new Set(GEMINI_KEYWORDS),
  references: false,
  formats: new Set(["date-time", "double", "enum", "float", "int32", "int64"]),
  names: PLAIN_NAME,
  plainTypes: true,
  declaredNames: true,
};

const UNIVERSAL: ProfileRules = {
  ...GEMINI,
  // Every framework takes it away where Gemini would refuse it.
  keywords: new Set([...GEMINI_KEYWORDS, "additionalProperties"]),
  unionsAlone: true,
};

const RULES: Readonly<Record<Exclude<KnownProfile, "none" | object>, ProfileRules>> = {
  universal: UNIVERSAL,
  openai: OPENAI,
  anthropic: {
    ...OPENAI,
    refused: undefined,
    names: PLAIN_NAME,
    listsHaveItems: false,
    plainPatterns: false,
  },
  gemini: GEMINI,
  vertex: { ...GEMINI, unionsAlone: true },
  kimi: UNIVERSAL,
  xai: { ...OPENAI, references: false },
  strict: {
    ...OPENAI,
    keywords: new Set(STRICT_KEYWORDS),
    formats: new Set(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"]),
    names: PLAIN_NAME,
    plainTypes: true,
    declaredNames: true,
    unionsAlone: true,
    isStrict: true,
  },
};

/** The rules of a profile; `undefined` for `none`. */
export function rulesOf(profile: KnownProfile): ProfileRules | undefined {
  if (profile === "none") return undefined;
  if (typeof profile === "string") return RULES[profile];
  const keywords = new Set(profile.keywords);
  const isPlain = !["oneOf", "allOf", "const"].every((keyword) => keywords.has(keyword));
  return {
    ...UNIVERSAL,
    keywords,
    references: keywords.has("$ref"),
    formats: undefined,
    plainTypes: isPlain,
  };
}

const PROFILES: readonly unknown[] = ["auto", "none", ...Object.keys(RULES)];

/**
 * Rejects a profile that does not exist before there is a schema to fit, which may be in the middle of a request.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkProfile(profile: unknown): void {
  if (profile === undefined || PROFILES.includes(profile)) return;
  const keywords = isRecord(profile) ? profile.keywords : undefined;
  if (Array.isArray(keywords) && keywords.every((keyword) => typeof keyword === "string")) return;
  const known = PROFILES.map((name) => `"${name}"`).join(", ");
  const given = typeof profile === "string" ? `"${profile}"` : `a ${typeof profile}`;
  const message = `There is no schema profile ${given}; use one of ${known}, or { keywords: [...] }.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
