import type { ServerDefinition } from "@jackfield/mcp-core";
import { isMadeOf } from "./known-text.ts";

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
export function matchesServer(pattern: ServerPattern, definition: ServerDefinition): boolean {
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

export function matchesGlob(pattern: string, text: string): boolean {
  return isMadeOf(text, pattern.split("*"));
}

/** Lowercases scheme and host, which are case-insensitive. */
export function withLowerBeginning(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, (beginning) => beginning.toLowerCase());
}
