import type { ServerDefinition } from "@jackfield/mcp-core";
import { isMadeOf } from "./known-text.ts";

/**
 * Which servers a line of a list means: those of a name, exactly one command line, or those at a URL. In names and URLs `*`
 * stands for any characters; scheme and host of a URL have no case. `allow` compares what the entry says, with its variables
 * unexpanded, so that a variable can keep a server off the list and never get it on. `deny` also means other spellings of the same
 * URL, and what a variable may turn a server into.
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
 * Whether a list of what is allowed lets a server through. As in Claude Code's `allowedMcpServers`, a list that names a command
 * line is about command lines for every child process, and one that names a URL is about URLs for every remote server: a name
 * alone lets neither through then. An empty list allows nothing.
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

/** Scheme and host have no case. */
export function withLowerBeginning(url: string): string {
  return url.replace(/^[^/]*\/\/[^/?#]*/, (beginning) => beginning.toLowerCase());
}
