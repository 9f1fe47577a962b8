import { type ParseHostFileOptions, parseHostFile } from "../../src/index.ts";

/** Parses a text, or a value as JSON, in the dialect of a host, and brings the outcome into a form that is easy to compare. */
export async function parse(
  content: unknown,
  options: Partial<ParseHostFileOptions> = {},
): Promise<Awaited<ReturnType<typeof parseHostFile>> & Outcome> {
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 1);
  const parsed = await parseHostFile({ host: "claude-code", file: "/folder/mcp.json", text, ...options });
  return { ...parsed, ...outcomeOf(parsed) };
}

interface Outcome {
  readonly names: readonly string[];
  /** Codes with the server they are about. */
  readonly told: readonly string[];
}

export function outcomeOf({ servers, diagnostics }: Awaited<ReturnType<typeof parseHostFile>>): Outcome {
  return {
    names: servers.map(({ name }) => name),
    told: diagnostics.map(({ code, server }) => (server === undefined ? code : `${code}: ${server}`)),
  };
}
