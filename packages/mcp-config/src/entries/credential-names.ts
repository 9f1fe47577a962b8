/** Words that mean a credential. The first of them may also end a longer word, such as `apikey` and `PGPASSWORD`. */
const CREDENTIAL =
  /(?:token|secret|passw(?:or)?[dt]|passwrd|passphrase|(?:key|store)pass|credential|cookie|bearer|jwt|auth|authorization|(?<!^(?:mon|don|tur|hot|hoc|joc|whis))key)s?$|^(?:pass|pwd|pat|pin|dsn|creds?)$/i;

/** Last words of names that say something about a credential, or where it is. */
const ABOUT_CREDENTIAL =
  /^(?:path|file|filename|dir|directory|folder|name|id|type|kind|mode|method|scheme|strategy|algorithm|format|version|provider|realm|region|tenant|issuer|audience|domain|host|port|ur[il]|endpoint|store|sock|socket|helper|scope|email|user|username|prefix|header|column|length|size|limit|count|budget|ttl|timeout|expiry|expire|enabled|disabled|required|var)s?$/i;

/** With a plural at the end, words of names of numbers, such as `MAX_OUTPUT_TOKENS`. */
const NUMBER = /^(?:max|min|num|total)$/i;

/** In the names of keys that anybody may know. */
const PUBLIC = /^pub(?:lic)?$/i;

/**
 * Whether a name is that of a credential, whatever its value. It is read word by word: `looksLikeCredential` is also true for `AUTHOR`,
 * `MAX_TOKENS` and `SSH_KEY_PATH`.
 */
export function namesCredential(name: string): boolean {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const last = words.at(-1) ?? "";
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (!has(CREDENTIAL) || ABOUT_CREDENTIAL.test(last)) return false;
  const isNumber = has(NUMBER) && last.toLowerCase().endsWith("s");
  return !isNumber && (!has(PUBLIC) || /secret|passw/i.test(name));
}
