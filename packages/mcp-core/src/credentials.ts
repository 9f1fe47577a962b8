import type { ResolvedRemoteServer } from "./resolved-server.ts";

/** Words that mean a credential. The first of them may also end a longer word, such as `apikey` and `PGPASSWORD`. */
const CREDENTIAL_WORD =
  /(?:token|secret|passw(?:or)?[dt]|passwrd|passphrase|passcode|(?:key|store)pass|credential|cookie|bearer|jwt|auth|authorization|(?<!^(?:mon|don|tur|hot|hoc|joc|whis))key)s?$/i;

/** Short words that mean one only at the end of a name, or before the word for an environment. */
const SHORT_WORD = /^(?:pass|pwd|pat|pin|otp|dsn|creds?)$/i;
const ENVIRONMENT_WORD =
  /^(?:prod|production|dev|development|stage|staging|test|live|old|new|default|base|env)$/i;

/** Last words of names that say something about a credential, or where it is. */
const ABOUT_CREDENTIAL =
  /^(?:path|file|filename|dir|directory|folder|name|id|arn|type|kind|mode|method|scheme|strategy|algorithm|format|version|provider|realm|region|tenant|issuer|audience|domain|host|port|ur[il]|endpoint|store|sock|socket|helper|scope|email|user|username|prefix|header|column|table|length|size|limit|count|budget|ttl|timeout|expiry|expire|enabled|disabled|required|var|policy|service|server|backend|manager|rotation|bucket|consent|role|group|flow|callback|command|cmd|cache)s?$/i;

/** With a plural at the end, words of names of numbers, such as `MAX_OUTPUT_TOKENS`. */
const NUMBER_WORD = /^(?:max|min|num|total|per)$/i;

/** In the names of keys that anybody may know. */
const PUBLIC_WORD = /^pub(?:lic)?$/i;

/** Before a last `key`: it names a record, not a lock. */
const RECORD_WORD =
  /^(?:primary|sort|partition|foreign|cache|group|routing|shard|index|object|row|map|dedup|idempotency|project|space|issue|board|team)$/i;

/** The shell's variables for the working directory. In other cases the word is short for "password". */
const WORKING_DIRECTORY = /^(?:OLD_?)?PWD$/;

/**
 * Whether a variable, header, field, flag or parameter of this name holds a credential. The name is read word by word, whatever its
 * spelling: `API_KEY`, `apiKey` and `x-api-key` do; `AUTHOR`, `KEYBOARD_LAYOUT`, `MAX_TOKENS`, `SSH_KEY_PATH` and `PWD` do not.
 */
export function namesCredential(name: string): boolean {
  if (WORKING_DIRECTORY.test(name)) return false;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const last = words.at(-1) ?? "";
  if (ABOUT_CREDENTIAL.test(last)) return false;
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const lastOwn = words.findLast((word) => !ENVIRONMENT_WORD.test(word)) ?? "";
  if (!has(CREDENTIAL_WORD) && !SHORT_WORD.test(lastOwn)) return false;
  if (/^keys?$/i.test(last) && RECORD_WORD.test(words.at(-2) ?? "")) return false;
  const isNumber = has(NUMBER_WORD) && (last.toLowerCase().endsWith("s") || has(/^per$/i));
  return !isNumber && (!has(PUBLIC_WORD) || /secret|passw/i.test(name));
}

/** The beginnings of the keys of well-known services. */
export const KEY_BEGINNING = String.raw`(?:sk-|[sr]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|A[KS]IA(?=[A-Z\d])|AIza|ya29\.|hf_|npm_|gsk_|xai-|shp(?:at|ca|pa|ss)_|whsec_|SG\.|dop_v1_|pypi-AgE|lin_api_|ntn_|figd_|PMAK-|eyJ(?=[\w-]))`;

const BEGINS_LIKE_KEY = new RegExp(String.raw`(?:^|[\s"',;=:])${KEY_BEGINNING}`);

/** Whether a text, or a word in it, begins like the key of a well-known service: `sk-`, `ghp_`, `AKIA` … */
export function beginsLikeKey(text: string): boolean {
  return BEGINS_LIKE_KEY.test(text);
}

/** A whole key of a well-known service. Names and versions that begin alike have no digit, or are shorter. */
const KNOWN_KEY = new RegExp(
  String.raw`(?<![\w-])(?=[\w.-]{0,256}?\d)${KEY_BEGINNING}[\w-]{16,}(?:\.[\w-]+)*`,
  "g",
);

/** Words of `npm_config_cache_dir_2` and the like. */
const VARIABLE_OF_TOOL = /^(?:npm|hf)_[a-z]+_/;

/** A private key, or another secret one, in the armour of PEM. The end may be cut off. */
const PRIVATE_KEY = /-----BEGIN (?!.*PUBLIC)[A-Z\d ]*KEY[A-Z\d ]*-----[\s\S]*?(?:-----END [A-Z\d ]+-----|$)/g;

/** What follows a scheme. A word of small letters only is taken for a word. */
const AFTER_SCHEME = /\b(?:[Bb]asic|[Bb]earer|[Tt]oken)\s+(?=\S*(?:[\d=_+/]|[a-z][A-Z]))([^\s"',;]{6,})/g;

/** Keys that can be told by their form in any text: of well-known services, private ones in PEM, and what follows `Bearer`. */
function keysIn(text: string): readonly string[] {
  const known = [...text.matchAll(KNOWN_KEY)]
    .map(([key]) => key)
    .filter((key) => !VARIABLE_OF_TOOL.test(key));
  const armoured = text.includes("-----BEGIN") ? [...text.matchAll(PRIVATE_KEY)].map(([key]) => key) : [];
  const authorized = [...text.matchAll(AFTER_SCHEME)].map(([, token = ""]) => token);
  return [...known, ...armoured, ...authorized];
}

const SHORTEST_GENERATED = 20;

/** How many of its characters must lie in parts that are neither words, numbers nor hexadecimal. */
const SHORTEST_MIXED = 16;

/** In generated text, letters of either case and digits change places more often than in words, names and versions. */
const LONGEST_MEAN_RUN = 2.75;

/**
 * Whether a whole value has the form of a key that a program generated. Hexadecimal text has not: it is as often the hash of a commit, a
 * checksum or the id of a record; nor have UUIDs, paths, addresses, words, versions and numbers.
 */
function looksGenerated(value: string): boolean {
  const text = value.trim();
  if (text.length < SHORTEST_GENERATED) return false;
  if (keysIn(text)[0] === text) return true;
  if (!/^[\w+/=.~-]+$/.test(text) || !/\d/.test(text) || /^(?:[/.~]|sha\d+-)/.test(text)) return false;
  const parts = text.split(/[-_.~=]+/).filter(isMixed);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const runs = parts.reduce((sum, part) => sum + (part.match(RUN)?.length ?? 0), 0);
  return length >= SHORTEST_MIXED && length / runs <= LONGEST_MEAN_RUN;
}

const RUN = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[+/]/g;

/** Whether a part of a text is neither a word, a number nor hexadecimal. */
function isMixed(part: string): boolean {
  return /\d/.test(part) && /[g-zG-Z+/]/.test(part);
}

/** What stands where somebody shall write a credential: `YOUR_API_KEY`, `<token>`, `changeme`, `xxxx-xxxx`. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim();
  if (/^(?:<[^<>]*>|\[[A-Za-z _-]*\]|\{\{[^{}]*\}\}|\$\{[^{}]*\})$/.test(text)) return true;
  if (/^(?:[A-Za-z]{2,8}[-_]){0,2}[xX*.•…?-][xX*.•…?_-]*$/.test(text)) return true;
  if (/^(?:<<[^<>]*>>|\*+\w+\*+|\{[a-z]+(?:[-_ ][a-z]+)+\}|[\w-]{2,14}(?:\.{3}|…))$/i.test(text)) return true;
  if (!/^[A-Za-z]+(?:[-_ .][A-Za-z]+)*\.*$/.test(text)) return false;
  return PLACEHOLDER_WORDS.test(text) || isMadeOfWords(text.toLowerCase());
}

/** Words for a credential, of which a placeholder may consist, and those that say that it is none. */
const NOUNS =
  "api|app|access|auth|bearer|bot|client|id|key|keys|token|tokens|secret|password|pass|personal|private|public|user|service|the|a|an|in|me|here|goes|value|this|with|github|gitlab|slack|openai|anthropic|google|real|actual";
const MARKS =
  "my|your|example|dummy|fake|sample|test|demo|insert|enter|paste|put|add|fill|replace|change|redacted|placeholder|here";
const MADE_OF_WORDS = new RegExp(
  `^(?:(?:gh[pousr]|sk|pk|xox[a-z]|ant|tvly|fc)[-_ .])*(?:${NOUNS}|${MARKS})(?:[-_ .]?(?:${NOUNS}|${MARKS}))*\\.*$`,
);
const HAS_MARK = new RegExp(`(?:^|[-_ .])(?:${MARKS})|(?:${MARKS})(?:$|[-_ .])`);

/** `my-api-key`, `API_KEY`, `ghp_yourtoken`. A single word is a placeholder only if nobody would take it for a password. */
function isMadeOfWords(text: string): boolean {
  if (!MADE_OF_WORDS.test(text)) return false;
  if (/^[a-z]+$/.test(text))
    return /^(?:example|dummy|redacted|key|token|apikey|my\w*(?:key|token)|your\w+)$/.test(text);
  return HAS_MARK.test(text) || /(?:key|token)s?\.*$/.test(text);
}

const PLACEHOLDER_WORDS =
  /(?:^|[-_ .])(?:your|change[-_ ]?me|replace[-_ ](?:me|this|with)|placeholder|todo|tbd|fixme|(?:insert|enter|paste|put|add|set|fill)[-_ ].*[-_ ]here)(?:$|[-_ .])/i;

/** The path of a file: what a credential is in, not a credential. */
const FILE_PATH =
  /^(?:file:\/\/)?(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/](?!\/)[^${}@\n]*\.\w{1,8}|(?:[\\/][a-z][a-z._-]*\d{0,2})+)$/;

/** Values that switch something, whatever its name. */
const SWITCH =
  /^(?:true|false|yes|no|on|off|none|null|undefined|enabled|disabled|required|optional|default|auto|anonymous)$/i;

/** Whether a value can be a credential where its name says so. */
function fitsCredential(name: string, value: string): boolean {
  if (value === "" || SWITCH.test(value) || isPlaceholder(value) || FILE_PATH.test(value)) return false;
  if (/^\d{1,9}$/.test(value)) return /pin|pass|pwd|otp|secret|code/i.test(name);
  // `AUTH=required`: the word may name a way as well as what opens it.
  return !(/auth$/i.test(name) && /^[a-z]+\d?$/.test(value));
}

/** Whether a value of this name is a credential, or holds one. */
export function isCredential(name: string, value: string): boolean {
  return credentialsIn(name, value).length > 0;
}

/**
 * The credentials in a value that was filled in or written out, given its name: the whole value if its name says so, or if it has the
 * form of a generated key; else those that stand in it: in a URL, a connection string, a JSON document, or by their form.
 */
export function credentialsIn(name: string, value: string): readonly string[] {
  const parts = credentialsInText(value);
  // The address of a database is secret in parts only; other names say that the whole address is.
  const isAddress = HAS_PARTS.test(value) && (parts.length > 0 || /dsn$/i.test(name));
  if (!isAddress && namesCredential(name) && fitsCredential(name, value)) return [value, ...parts];
  return looksGenerated(value) ? [value, ...parts] : parts;
}

/** Addresses and connection strings, of which only a part is secret. */
const HAS_PARTS = /^(?:jdbc:)?[A-Za-z][\w+.-]*:\/\/|^[^\s;=]+=[^;]*;|@(?:tcp|udp|unix)\(/;

/** Deeper documents are not looked into. */
const DEEPEST_DOCUMENT = 6;

/** The credentials that can be told from others in any text of an entry. */
export function credentialsInText(text: string): readonly string[] {
  if (text.length < SHORTEST_TEXT) return NONE;
  return [...credentialsInUrls(text), ...credentialsInConnection(text), ...inDocument(text), ...keysIn(text)];
}

const NONE: readonly string[] = [];
const SHORTEST_TEXT = 6;

/** The credentials in a JSON document, such as the key of a service account. */
function inDocument(text: string): readonly string[] {
  if (!/^\s*[{[]/.test(text)) return NONE;
  try {
    return inMembers("", JSON.parse(text), 0);
  } catch {
    return NONE;
  }
}

function inMembers(name: string, member: unknown, depth: number): readonly string[] {
  if (typeof member === "string") return credentialsIn(name, member);
  if (typeof member !== "object" || member === null || depth > DEEPEST_DOCUMENT) return NONE;
  return Object.entries(member).flatMap(([key, inner]) =>
    inMembers(Array.isArray(member) ? name : key, inner, depth + 1),
  );
}

/** What is left of `Bearer x` if `x` is empty: hiding it would hide the word everywhere. */
const SCHEME_ALONE = /^(?:basic|bearer|digest|token)?\s*$/i;

const AUTHORIZATION = /^(?:proxy-)?authorization$/i;
const COOKIE = /^(?:set-)?cookie2?$/i;

/** The credentials in a header: an authorization with and without its scheme, as servers echo both, or the value of each cookie. */
export function credentialsOfHeader(name: string, value: string): readonly string[] {
  if (COOKIE.test(name)) return cookieValues(value);
  if (AUTHORIZATION.test(name)) return credentialsOfAuthorization(value);
  const isNamed = namesCredential(name) && fitsCredential(name, value);
  return isNamed ? credentialsOfAuthorization(value) : credentialsIn(name, value);
}

/** A value that authorizes, with and without its scheme; of `Basic`, also the password that it encodes. */
export function credentialsOfAuthorization(value: string): readonly string[] {
  if (SCHEME_ALONE.test(value)) return NONE;
  const [, scheme = "", token] = /^([A-Za-z][\w-]*)\s+(\S+)$/.exec(value) ?? [];
  if (token === undefined) return [value];
  return scheme.toLowerCase() === "basic" ? [value, token, ...passwordInBasic(token)] : [value, token];
}

function passwordInBasic(token: string): readonly string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const pair = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const at = pair.indexOf(":");
    return at === -1 ? NONE : [pair, pair.slice(at + 1)].filter((text) => text !== "" && !text.endsWith(":"));
  } catch {
    return NONE; // It is no base64, or not of text.
  }
}

function cookieValues(header: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    const value = pair.slice(pair.indexOf("=") + 1).trim();
    const bare = value.replace(/^"(.*)"$/, "$1");
    return value === "" ? [] : [...new Set([bare, decoded(bare)])];
  });
}

/** Names in queries for what signs a request. */
const SIGNATURE = /(?:^|[-_])sig(?:nature)?$/i;

/** Credentials of the URLs in a text: user and password, the password alone, and query parameters with a telling name. */
function credentialsInUrls(text: string): readonly string[] {
  if (!text.includes("@") && !text.includes("=")) return NONE;
  const found: string[] = [];
  const { userinfos, parameters } = urlParts(text);
  for (const userinfo of userinfos) found.push(...ofUserinfo(userinfo));
  for (const { name, value } of parameters) {
    if (SIGNATURE.test(name) || (namesCredential(name) && fitsCredential(name, decoded(value))))
      found.push(value, decoded(value));
    else if (looksGenerated(decoded(value))) found.push(value, decoded(value));
  }
  return found;
}

/** A user without a password is no credential, unless it is a token. */
function ofUserinfo(userinfo: string): readonly string[] {
  const at = userinfo.indexOf(":");
  const user = at === -1 ? userinfo : userinfo.slice(0, at);
  const password = at === -1 ? "" : userinfo.slice(at + 1);
  const tokens = isTokenOfUser(user) ? [user, decoded(user)] : [];
  if (password === "" || isPlaceholder(decoded(password))) return tokens;
  return [userinfo, decoded(userinfo), password, decoded(password), ...tokens];
}

/** Whether what stands before the `@` of a URL is a token: as some services want it there. */
function isTokenOfUser(text: string): boolean {
  const isName = !beginsLikeKey(text) && /^[a-z]+(?:[.-][a-z]+)*[.-]?\d{1,4}$/.test(text);
  return /^[\w.~+=-]{16,}$/.test(text) && /\d/.test(text) && !isName;
}

/** Parts of the URLs in a text that may hold credentials. */
export interface UrlParts {
  /** Before an `@`, as written. */
  readonly userinfos: readonly string[];
  /** In queries; the name is decoded, the value is as written. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

/** Addresses of databases: their passwords are often written without the encoding that a URL asks for. */
const RAW_USERINFO =
  /(?<![\w+.-])(?!https?:)[A-Za-z][\w+.-]{1,30}:\/\/([^\s:/@]*:(?!\d{1,5}[/?#])[^\s"'<>]{1,512})@(?=[\w.[\]-]*(?:[:/?#,\s"']|$))/g;

/** Finds the parts of the URLs in a text that may hold credentials. */
export function urlParts(text: string): UrlParts {
  const userinfos = [...text.matchAll(/:\/\/([^/?#\s]*)@/g), ...text.matchAll(RAW_USERINFO)];
  return {
    userinfos: [...new Set(userinfos.map(([, userinfo = ""]) => userinfo))],
    parameters: Array.from(text.matchAll(/[?&]([^=?&#\s]+)=([^&#\s]+)/g), ([, name = "", value = ""]) => ({
      name: decoded(name),
      value,
    })),
  };
}

/** Credentials of connection strings: `Server=…;Password=…`, `host=… password=…`, `user:password@tcp(…)`. */
function credentialsInConnection(text: string): readonly string[] {
  const found: string[] = [];
  const take = (name: string, written: string) => {
    const value = written.trim().replace(/^(["'{])(.*)["'}]$/s, "$2");
    // The shell's variable of that name does not occur here.
    if (value !== "" && namesCredential(name.trim().toLowerCase()) && fitsCredential(name, value))
      found.push(value);
  };
  if (text.includes("=")) {
    const isInColumns = text.includes(";");
    const pairs = isInColumns
      ? text.split(";")
      : (text.match(/(?<![\w-])[\w-]{1,64}\s?=\s?(?:'[^']*'|\S+)/g) ?? NONE);
    if (isInColumns || pairs.length > 1)
      for (const pair of pairs) take(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }
  const [, password] = /^[^\s:/@]+:(\S{1,512})@(?:tcp|udp|unix)\(/.exec(text) ?? [];
  return password === undefined ? found : [...found, password];
}

/** Flags of proxies and container programs whose value has a name of its own, and what stands between the two. */
const PAIR_FLAGS: { readonly [flag: string]: string } = { header: ":", H: ":", env: "=", e: "=" };

/** `--flag` or `--flag=value`. */
const FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s;

/** An argument with the name that its value has: of its flag, or of the pair that it is. */
export interface NamedArgument {
  readonly name: string;
  readonly value: string;
}

/** Reads arguments as `--name=value`, `--name value`, `--header "Name: value"` and `-e NAME=value`; one for each argument. */
export function namedArguments(args: readonly string[]): readonly NamedArgument[] {
  let before = "";
  return args.map((text) => {
    const match = text.startsWith("-") ? FLAG.exec(text) : null;
    const flag = match?.[1] ?? "";
    const value = match ? (match[2] ?? "") : text;
    const name = flag || before;
    before = value === "" ? flag : "";
    return pairIn(name, value) ?? { name, value };
  });
}

function pairIn(flag: string, value: string): NamedArgument | undefined {
  const mark = Object.hasOwn(PAIR_FLAGS, flag) ? PAIR_FLAGS[flag] : undefined;
  if (mark === undefined || /^[A-Za-z][\w+.-]*:\/\//.test(value)) return undefined;
  const at = value.indexOf(mark);
  const name = value.slice(0, Math.max(at, 0)).trim();
  // For other programs, `-e` comes before a line of code.
  return /^[\w-]+$/.test(name) ? { name, value: value.slice(at + 1).trim() } : undefined;
}

/** A percent-decoded part of a URL; unchanged if it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Where an entry holds credentials of its own, which replace any login: an `Authorization` header, or else a password in the URL. A
 * user name alone is no credential. `undefined`: it holds none.
 */
export function ownCredentials({
  headers,
  url,
}: Pick<ResolvedRemoteServer, "headers" | "url">): "header" | "url" | undefined {
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return "header";
  return URL.parse(url)?.password ? "url" : undefined;
}
