import type { ServerDefinition } from "@jackfield/mcp-core";
import { braces } from "../resolve/variable-syntax.ts";

/**
 * Servers of a name, with exactly one command line, or at a URL. In names and URLs `*` stands for any characters; scheme and host
 * of a URL are case-insensitive. `allow` compares the entry with its variables unexpanded, so that a variable can keep a server off
 * the list but never get it on. `deny` also matches other spellings of the same URL, and servers that may match once expanded.
 */
export type ServerPattern =
  | { readonly name: string }
  | { readonly argv: readonly string[] }
  | { readonly url: string };

/** Whether a pattern means this server, as it is written. */
function matchesServer(pattern: ServerPattern, definition: ServerDefinition): boolean {
  if ("name" in pattern) return matchesGlob(pattern.name, definition.name);
  if ("argv" in pattern) return isCommandLine(definition, pattern.argv);
  if (!("url" in definition)) return false;
  return matchesGlob(withLowerBeginning(pattern.url), withLowerBeginning(definition.url));
}

/**
 * Whether an allow list lets a server through. As in Claude Code's `allowedMcpServers`, if any line has a command line, only
 * command lines let child processes through, and if any has a URL, only URLs let remote servers through: names alone do not then.
 * An empty list allows nothing.
 */
export function isAllowed(patterns: readonly ServerPattern[], definition: ServerDefinition): boolean {
  const kind = definition.transport === "stdio" ? "argv" : "url";
  const special = definition.transport === "in-process" ? [] : patterns.filter((pattern) => kind in pattern);
  const asked = special.length > 0 ? special : patterns.filter((pattern) => "name" in pattern);
  return asked.some((pattern) => matchesServer(pattern, definition));
}

function isCommandLine(definition: ServerDefinition, argv: readonly string[]): boolean {
  if (definition.transport !== "stdio") return false;
  const own = [definition.command, ...(definition.args ?? [])];
  return own.length === argv.length && own.every((text, index) => text === argv[index]);
}

function matchesGlob(pattern: string, text: string): boolean {
  return isMadeOf(text, pattern.split("*"));
}

/** Lowercases scheme and host, which are case-insensitive. */
function withLowerBeginning(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, (beginning) => beginning.toLowerCase());
}

/** A text with unknown values in it: its pieces before, between and after them. A single piece is a text that is fully known. */
type KnownText = readonly string[];

/** A word that consists of an input alone: it becomes an argument for each answer, or none at all. No other word becomes several. */
const WHOLE_INPUT: KnownText = ["", ""];

/** Whether the words of a server may turn out to be this command line. */
function mayBe(line: readonly unknown[], words: readonly KnownText[]): boolean {
  const open = words.indexOf(WHOLE_INPUT);
  if (open === -1) return words.length === line.length && begins(line, words);
  const behind = words.slice(words.lastIndexOf(WHOLE_INPUT) + 1);
  if (open + behind.length > line.length) return false;
  return begins(line, words.slice(0, open)) && begins(line.slice(line.length - behind.length), behind);
}

function begins(line: readonly unknown[], words: readonly KnownText[]): boolean {
  return words.every((word, index) => {
    const text = line[index];
    return typeof text === "string" && isMadeOf(text, word);
  });
}

/** Whether a text has these pieces in this order, with anything between them. Taking each at its first occurrence needs no backtracking. */
function isMadeOf(text: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/**
 * Makes a test of a deny list. A URL matches in any spelling. Values of references are not known here, so a server also matches if
 * it may once they are filled in.
 */
export function readDenials(patterns: readonly ServerPattern[]): (definition: ServerDefinition) => boolean {
  const urls: ReturnType<typeof urlDenial>[] = [];
  const commands: (readonly string[])[] = [];
  for (const pattern of patterns) {
    if ("url" in pattern) urls.push(urlDenial(pattern.url));
    else if ("argv" in pattern) commands.push(pattern.argv);
  }
  return (definition) => {
    if (patterns.some((pattern) => matchesServer(pattern, definition))) return true;
    if (definition.transport === "in-process") return false;
    if (definition.transport === "stdio") {
      const words = commands.length > 0 ? wordsOf(definition) : [];
      const isOpen = words.some((word) => word.length > 1);
      return isOpen && commands.some((line) => mayBe(line, words));
    }
    if (urls.length === 0) return false;
    const forms = formsOf(definition.url, isOfJackfield(definition));
    return urls.some((matches) => matches(forms));
  };
}

/** The beginning of a reference in Jackfield's own dialect. */
const OWN_BEGINNING = /\$\{/g;
/**
 * A reference in any host's dialect, or the beginning of one in brackets. The server's own dialect is not consulted, because that
 * would load all of them.
 */
const BEGINNING = /\$[({]|\$\w+(?::\w+)?|\{(?=[A-Za-z_])|%\w+%/g;
/**
 * A word that is an input alone to some host: `${input:id}`, `${op://vault}`, `${user_config.id}`, `${{ inputs.id }}` or `{id}`.
 * Jackfield's own dialect has none.
 */
const WHOLE_INPUT_REFERENCE =
  /^(?:\$\{\s*(?!env:)[A-Za-z][\w+.-]*:(?!-)[^{}]*\}|\$\{user_config\.[^{}]*\}|\$\{\{\s*inputs\.[^{}]*\}\}|\{[A-Za-z_][\w.-]*\})$/;

/** The same with a default, which may hold further references. */
const inputWithDefault = braces({ inputs: ["user_config."] });

function isWholeInput(text: string): boolean {
  if (WHOLE_INPUT_REFERENCE.test(text)) return true;
  const found = inputWithDefault(text, 0);
  return typeof found === "object" && found.to === text.length && found.reference.kind === "input";
}

/** A reference in brackets may hold others, so it ends at the last bracket of the text. */
function knownText(text: string, isOwn: boolean): KnownText {
  const lastBrace = text.lastIndexOf("}");
  const lastBracket = isOwn ? lastBrace : Math.max(lastBrace, text.lastIndexOf(")"));
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(isOwn ? OWN_BEGINNING : BEGINNING)) {
    if (index < from) continue;
    let last = index + found.length - 1;
    if (found === "{") last = lastBrace;
    else if (found === "${" || found === "$(") last = lastBracket;
    if (last < index) continue;
    pieces.push(text.slice(from, index));
    from = last + 1;
  }
  return [...pieces, text.slice(from)];
}

function knownArgument(text: string, isOwn: boolean): KnownText {
  return !isOwn && isWholeInput(text) ? WHOLE_INPUT : knownText(text, isOwn);
}

/** The forms of a URL, including the text as written, which the host may not expand. */
function formsOf(url: string, isOwn: boolean): UrlForms {
  const [beginning = "", ...rest] = knownText(url, isOwn);
  if (rest.length === 0) return { spellings: spellingsOf(beginning) };
  const forms = unknownForms(beginning);
  return { ...forms, spellings: [...forms.spellings, ...spellingsOf(url)] };
}

function wordsOf(definition: Extract<ServerDefinition, { transport: "stdio" }>): readonly KnownText[] {
  const isOwn = isOfJackfield(definition);
  const args = (definition.args ?? []).map((text) => knownArgument(text, isOwn));
  return [knownText(definition.command, isOwn), ...args];
}

function isOfJackfield({ definedIn: { host = "jackfield" } }: ServerDefinition): boolean {
  return host === "jackfield";
}

/** The forms of a URL that a deny list compares with its lines. */
interface UrlForms {
  /** The URL as written and as sent. If its end is unknown, its spellings if nothing more is sent. */
  readonly spellings: readonly string[];
  /** The certain beginning of a URL whose rest is not known yet. */
  readonly beginning?: string | undefined;
}

/** Makes a test whether a line of a deny list matches a URL in any spelling, or may match it once all of it is known. */
function urlDenial(pattern: string): (forms: UrlForms) => boolean {
  const written = withLowerBeginning(pattern);
  const patterns = [...new Set([written, urlAsSent(pattern) ?? written])];
  const pieces = patterns.map((text) => text.split("*"));
  return ({ spellings, beginning }) =>
    spellings.some((text) => pieces.some((parts) => isMadeOf(text, parts))) ||
    (beginning !== undefined && patterns.some((text) => canBegin(text, beginning)));
}

/** The URL as written, as sent, and as sent without user and password. */
function spellingsOf(url: string): readonly string[] {
  const others = [urlAsSent(url), urlAsSent(url, true)];
  return [withLowerBeginning(url), ...others.filter((text) => text !== undefined)];
}

/** Percent-encoded characters that mean the same unencoded. */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A URL as it is sent, without a dot at the end of its host, which stands for the root of the DNS and changes nothing. */
function urlAsSent(text: string, isAnonymous = false): string | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (isAnonymous) {
    url.username = "";
    url.password = "";
  }
  url.hash = "";
  // Removes a question mark with nothing after it.
  if (url.search === "") url.search = "";
  return url.href.replace(UNRESERVED, decodeURIComponent);
}

const UP_TO_HOST = /^[^/\\]*[/\\]{2}[^/\\?#]*[/\\?#]/;

/**
 * The forms of every URL that a text can become once its missing rest is appended. The rest may contain `@`, `..` and `#`, so the
 * host is certain only if it ends before, and the path only if the query begins before. A fragment is not sent.
 */
function unknownForms(text: string): UrlForms {
  const [upToHost] = UP_TO_HOST.exec(text) ?? [];
  if (upToHost === undefined) {
    return { spellings: [], beginning: /^https?:\/\//i.exec(text)?.[0].toLowerCase() ?? "" };
  }
  if (text.includes("#")) return { spellings: spellingsOf(text) };
  if (!text.includes("?")) return { spellings: [], beginning: urlAsSent(upToHost, true) ?? "" };
  const sure = text.replace(/%.?$/, "");
  const beginning = urlAsSent(sure, true) ?? "";
  const hasQuery = URL.parse(sure)?.search !== "";
  return { spellings: spellingsOf(text), beginning: hasQuery ? beginning : `${beginning}?` };
}

/** Scheme and host, with the slash after them. */
const ORIGIN = /^[^/]*\/\/[^/]*\//;

function canBegin(pattern: string, beginning: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const isFit = first.startsWith(beginning) || (others.length > 0 && beginning.startsWith(first));
  const [[origin] = [], [wanted] = []] = [ORIGIN.exec(beginning) ?? [], ORIGIN.exec(pattern) ?? []];
  // Once the host is certain, later text must not pass for one.
  if (origin === undefined || wanted === undefined) return isFit;
  return isFit && isMadeOf(origin, wanted.split("*"));
}
