/** Words that mean a credential. The first of them may also end a longer word, such as `apikey` and `PGPASSWORD`. */
const CREDENTIAL =
  /(?:token|secret|passw(?:or)?d|passphrase|credential|cookie|bearer|jwt|authorization|(?<!^(?:mon|don|tur|hot|hoc|joc|whis))key)s?$|^(?:o?auth|pass|pwd|pat|pin|dsn|creds?)$/i;

/** Last words of names that say something about a credential, or where it is. */
const ABOUT_CREDENTIAL =
  /^(?:path|file|filename|dir|directory|folder|name|id|type|kind|mode|method|scheme|strategy|algorithm|format|version|provider|realm|region|tenant|issuer|audience|domain|host|port|ur[il]|endpoint|server|store|sock|socket|helper|scope|email|user|username|prefix|header|column|length|size|limit|count|budget|ttl|timeout|expiry|expire|enabled|disabled|required|env|var)s?$/i;

/** Words of names of numbers, and of keys that anybody may know. */
const HARMLESS = /^(?:max|min|num|total|public|pub)$/i;

/**
 * Whether a name is that of a credential, whatever its value. It is read word by word: `looksLikeCredential` is also true for `AUTHOR`,
 * `MAX_TOKENS` and `SSH_KEY_PATH`.
 */
export function namesCredential(name: string): boolean {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return (
    words.some((word) => CREDENTIAL.test(word)) &&
    !words.some((word) => HARMLESS.test(word)) &&
    !ABOUT_CREDENTIAL.test(words.at(-1) ?? "")
  );
}
