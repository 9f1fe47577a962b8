import { McpError } from "@jackfield/mcp-core";

/**
 * For whose models a schema is fitted. `none`: for nobody in particular; only a root that no provider takes is completed.
 */
export type SchemaProfile = "openai" | "anthropic" | "gemini" | "none";

/** What a provider's API takes. Everything in it was taken from the providers' documentation and their answers to schemas. */
export interface ProfileRules {
  /** The only keywords it knows. Missing: all are let through. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** `$ref` is understood, so recursion can stay. */
  readonly references: boolean;
  /** `format` is refused with any other value. Missing: anything goes. */
  readonly formats?: ReadonlySet<string> | undefined;
  /** Names of properties must look like this. */
  readonly propertyName?: RegExp | undefined;
  /** One `type` for each schema, an `enum` of texts only, `anyOf` alone of the combinations. */
  readonly plainTypes: boolean;
  /** A list must say of what. */
  readonly listsHaveItems: boolean;
  /** Patterns that look around or refer back are refused. */
  readonly plainPatterns: boolean;
  /** What is required must be among the properties. */
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
 * Tells a profile that does not exist before there is a schema to fit, which may be in the middle of a request.
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
