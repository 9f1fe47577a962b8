/** An entry, as written or as defined. */
interface WithExtra {
  readonly extra?: { readonly [field: string]: unknown } | undefined;
}

/**
 * Whether an entry marks a value of its `env` or headers as final: neither the name of a variable nor a command, whatever it looks
 * like. The fields are oh-my-pi's, which writes them for entries of plugins.
 */
export function isPlainValue({ extra }: WithExtra, field: "env" | "headers", name: string): boolean {
  if (extra === undefined) return false;
  const { envPolicy, envLiteralKeys, headerPolicy } = extra;
  if (field === "headers") return headerPolicy === "origin-locked";
  return envPolicy === "literal" || (Array.isArray(envLiteralKeys) && envLiteralKeys.includes(name));
}
