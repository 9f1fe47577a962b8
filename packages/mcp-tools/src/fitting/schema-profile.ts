import { McpError } from "@jackfield/mcp-core";

/** The provider that a schema is fitted for. `none`: only an incomplete root, which no provider accepts, is completed. */
export type SchemaProfile = "openai" | "anthropic" | "gemini" | "none";

/** What a provider's API accepts, according to its documentation and its responses to schemas. */
export interface ProfileRules {
  /** The only keywords it accepts. Missing: all. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** `$ref` is understood, so recursion can stay. */
  readonly references: boolean;
  /** The only values of `format` it accepts. Missing: any. */
  readonly formats?: ReadonlySet<string> | undefined;
  /** The pattern that names of properties must match. */
  readonly propertyName?: RegExp | undefined;
  /** Requires one `type` for each schema, an `enum` of strings, and `anyOf` as the only combination. */
  readonly plainTypes: boolean;
  /** An array schema must have `items`. */
  readonly listsHaveItems: boolean;
  /** Patterns with lookarounds or back-references are refused. */
  readonly plainPatterns: boolean;
  /** Names in `required` must be among the `properties`. */
  readonly declaredNames: boolean;
}

const GEMINI_KEYWORDS = new Set([
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
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
]);

/** The rules of each profile that changes more than the root. */
export const PROFILE_RULES: Readonly<Record<Exclude<SchemaProfile, "none">, ProfileRules>> = {
  openai: {
    references: true,
    plainTypes: false,
    listsHaveItems: true,
    plainPatterns: true,
    declaredNames: false,
  },
  anthropic: {
    references: true,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    plainTypes: false,
    listsHaveItems: false,
    plainPatterns: false,
    declaredNames: false,
  },
  gemini: {
    references: false,
    keywords: GEMINI_KEYWORDS,
    formats: new Set(["date-time", "double", "enum", "float", "int32", "int64"]),
    plainTypes: true,
    listsHaveItems: true,
    plainPatterns: true,
    declaredNames: true,
  },
};

const PROFILES: readonly unknown[] = ["none", ...Object.keys(PROFILE_RULES)];

/**
 * Rejects a profile that does not exist before there is a schema to fit, which may be in the middle of a request.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkProfile(profile: unknown): void {
  if (profile === undefined || PROFILES.includes(profile)) return;
  const known = PROFILES.map((name) => `"${name}"`).join(", ");
  const given = typeof profile === "string" ? `"${profile}"` : `a ${typeof profile}`;
  throw new McpError("MCP_CONFIG_INVALID", `There is no schema profile ${given}; use one of ${known}.`, {
    phase: "config",
  });
}
