import { parse, TomlError } from "smol-toml";
import { invalidSource } from "../sources/config-problem.ts";
import type { ConfigDocument } from "./config-document.ts";
import { type CopyWatch, copyTree } from "./copied-tree.ts";
import { DEEPEST_NESTING } from "./document-limits.ts";
import { ForbiddenKeys } from "./forbidden-keys.ts";
import { jsonPointer } from "./json-path.ts";
import { createLineCounter } from "./line-counter.ts";
import { PlacedValue } from "./placed-value.ts";
import { findTomlPlaces } from "./toml-places.ts";

/**
 * Parses TOML 1.1. Dates become strings, since no entry has a date. Integers too large for a number keep their digits.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with line and column of the first fault; the text itself is never quoted.
 */
export function parseTomlDocument(text: string, file: string): ConfigDocument {
  const lines = createLineCounter(text);
  const places = new PlacedValue();
  const locate: ConfigDocument["locate"] = (path) => {
    return { file, ...lines.placeOf(places.offsetOf(path)), pointer: jsonPointer(path) };
  };
  const forbidden = new ForbiddenKeys();
  const watch: CopyWatch = {
    onForbidden: (value) => forbidden.add(() => locate(value.path())),
    onTooDeep: (value) => {
      throw invalidSource(
        locate(value.path()),
        `values are nested more than ${DEEPEST_NESTING} levels deep.`,
      );
    },
  };
  // Before it is parsed: the parser counts the levels of brackets, but not those of dotted keys, and needs much memory for each.
  findTomlPlaces(text, places, watch.onTooDeep);
  const parsed = parseToml(text, file);
  const root = copyTree(parsed, places, watch);
  return { root: Object.keys(parsed).length === 0 ? undefined : root, duplicates: [], forbidden, locate };
}

function parseToml(text: string, file: string) {
  try {
    // One number that is too large must not cost all servers of the file.
    return parse(text, { maxDepth: DEEPEST_NESTING, integersAsBigInt: "asNeeded" });
  } catch (cause) {
    // The rest of the parser's message is an excerpt of the file.
    const location = cause instanceof TomlError ? { file, line: cause.line, column: cause.column } : { file };
    const reason = cause instanceof TomlError ? `: ${reasonOf(cause)}` : "";
    throw invalidSource(location, `this is not valid TOML${reason}.`);
  }
}

/** The first line of the parser's message without its own introduction, cut before anything it quotes. */
function reasonOf({ message }: TomlError): string {
  const [line = ""] = message.replace(/^Invalid TOML document: /, "").split("\n", 1);
  return line.replace(/[:"'`].*$/s, "").trim();
}
