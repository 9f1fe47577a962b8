import type { ServerDefinition } from "@jackfield/mcp-core";
import { braces } from "../variable-syntax.ts";
import { compareWords, type KnownText, WHOLE_INPUT } from "./known-text.ts";
import { matchesServer, type ServerPattern } from "./server-pattern.ts";
import { spellingsOf, type UrlDenial, type UrlForms, urlDenial, urlForms } from "./url-spelling.ts";

/**
 * Makes a test of a deny list. A URL matches in any spelling. Values of references are not known here, so a server also matches if
 * it may once they are filled in.
 */
export function readDenials(patterns: readonly ServerPattern[]): (definition: ServerDefinition) => boolean {
  const urls: UrlDenial[] = [];
  const commands: (readonly string[])[] = [];
  for (const pattern of patterns) {
    if ("url" in pattern) urls.push(urlDenial(pattern.url));
    else if ("argv" in pattern) commands.push(pattern.argv);
  }
  return (definition) => {
    if (patterns.some((pattern) => matchesServer(pattern, definition))) return true;
    if (definition.transport === "in-process") return false;
    if (definition.transport === "stdio") {
      return commands.length > 0 && mayBeOneOf(commands, wordsOf(definition));
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
  const known = knownText(url, isOwn);
  const forms = urlForms(known);
  return known.length === 1 ? forms : { ...forms, spellings: [...forms.spellings, ...spellingsOf(url)] };
}

function wordsOf(definition: Extract<ServerDefinition, { transport: "stdio" }>): readonly KnownText[] {
  const isOwn = isOfJackfield(definition);
  const args = (definition.args ?? []).map((text) => knownArgument(text, isOwn));
  return [knownText(definition.command, isOwn), ...args];
}

function mayBeOneOf(lines: readonly (readonly string[])[], words: readonly KnownText[]): boolean {
  if (words.every((word) => word.length === 1)) return false;
  return lines.some((line) => !compareWords(words, line).includes(false));
}

function isOfJackfield({ definedIn: { host = "jackfield" } }: ServerDefinition): boolean {
  return host === "jackfield";
}
