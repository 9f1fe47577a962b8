import {
  CHARACTERS_PER_TOKEN,
  estimateTokens,
  type ServerSnapshot,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import { plainLine } from "./error-text.ts";

/** Names of tools break into more tokens than words do. */
const CHARACTERS_PER_TOKEN_OF_A_NAME = 3.3;

/** Whether tools cost a model more than so many tokens. Reads no more schemas than it needs for the answer. */
export function costMoreThan(tools: readonly ToolDescriptor[], tokens: number): boolean {
  let left = tokens;
  for (const { name, description } of tools)
    left -= (name.length + description.length) / CHARACTERS_PER_TOKEN;
  if (left < 0) return true;
  left = tokens;
  for (const tool of tools) {
    left -= estimateTokens(tool);
    if (left < 0) return true;
  }
  return false;
}

/** A page longer than this, in lines, would itself be a catalog. */
const MOST_SERVERS = 200;
const MOST_OF_A_LINE = 120;

/**
 * What a model sees in place of tools: one line for each server, and the names of its tools as long as all names together fit the
 * budget; beyond it, how many there are. The same tools always give the same bytes.
 *
 * @param tools - sorted by name
 * @param budgetTokens - for the whole page
 */
export function toolPage(
  tools: readonly ToolDescriptor[],
  servers: readonly ServerSnapshot[],
  budgetTokens: number,
): string {
  const groups = [...Map.groupBy(tools, ({ server }) => server)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([server, own]) => ({
      server,
      own,
      about: aboutServer(servers.find(({ name }) => name === server)),
    }));
  const lines = (form: Form) => groups.slice(0, MOST_SERVERS).map((group) => serverLine(group, form));
  const more = groups.length > MOST_SERVERS ? [`- and ${groups.length - MOST_SERVERS} more servers`] : [];
  const forms: readonly Form[] = [
    { hasNames: true, hasAbout: true },
    { hasNames: false, hasAbout: true },
  ];
  const page = forms.map((form) => [...lines(form), ...more].join("\n"));
  const fitting = page.find((text) => text.length / CHARACTERS_PER_TOKEN_OF_A_NAME <= budgetTokens);
  return fitting ?? [...lines({ hasNames: false, hasAbout: false }), ...more].join("\n");
}

interface Form {
  readonly hasNames: boolean;
  readonly hasAbout: boolean;
}

interface Group {
  readonly server: string;
  readonly own: readonly ToolDescriptor[];
  readonly about: string;
}

function serverLine({ server, own, about }: Group, { hasNames, hasAbout }: Form): string {
  const count = own.length === 1 ? "1 tool" : `${own.length} tools`;
  const said = hasAbout && about !== "" ? `: ${about}` : "";
  const name = plainLine(server, MOST_OF_A_LINE);
  if (!hasNames) return `- ${name} (${count})${said}`;
  const prefix = commonPrefix(own);
  const begin = prefix === "" ? "" : `, ${prefix}…`;
  const names = own.map((tool) =>
    tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name,
  );
  return `- ${name} (${count}${begin})${said}\n  ${names.join(" ")}`;
}

/** What stands before the original names of most tools of a server: written once, it takes half of the page. */
function commonPrefix(own: readonly ToolDescriptor[]): string {
  const counts = new Map<string, number>();
  for (const { name, originalName } of own) {
    const prefix = name.endsWith(originalName) ? name.slice(0, name.length - originalName.length) : "";
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

/** The first sentence of what a server says of itself: its instructions, else the title that it gives. */
function aboutServer(server: ServerSnapshot | undefined): string {
  const { instructions, serverInfo } = server ?? {};
  for (const text of [instructions, serverInfo?.title]) {
    const line = typeof text === "string" ? firstSentence(text) : "";
    if (line !== "") return line;
  }
  return "";
}

function firstSentence(text: string): string {
  const paragraph = text
    .slice(0, 4_000)
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/<[^<>]{1,80}>/g, " ")
    .split(/\n\s*\n/)
    // A heading says less than what stands below it.
    .map((part) =>
      part
        .replace(/^\s*#+.*$/gm, " ")
        .replace(/[*_`>|]+/g, "")
        .trim(),
    )
    .find((part) => /\p{L}{2}/u.test(part));
  const [sentence = ""] = (paragraph ?? "").split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  return plainLine(sentence, MOST_OF_A_LINE);
}
