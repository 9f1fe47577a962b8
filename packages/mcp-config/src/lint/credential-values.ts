import { beginsLikeKey, isCredential } from "@jackfield/mcp-core";

/** Whether a text in a place that is marked as secret is a credential: no placeholder, no reference, no path of a file. */
export function isLiteralSecret(text: unknown): boolean {
  return typeof text === "string" && !text.includes("${") && isCredential("secret", text);
}

/**
 * Whether what stands where a variable's name belongs is itself a credential. Names may be long and contain digits, like
 * `S3_KEY2_V1`, or begin like a key, like `npm_config_registry`.
 */
export function isCredentialAsName(name: string): boolean {
  const isGenerated = (word: string) =>
    /^[\w.~+=-]{20,}$/.test(word) && /\d/.test(word) && /[a-z]/.test(word);
  return (beginsLikeKey(name) && /[^a-z_]/.test(name)) || name.split(/[\s"',;]+/).some(isGenerated);
}
