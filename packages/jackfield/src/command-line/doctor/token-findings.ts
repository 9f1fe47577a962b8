import { estimateTokens, type ServerSnapshot, type ToolDescriptor } from "@jackfield/mcp-core";
import { type Finding, findingOf } from "./finding.ts";

/** How many tokens a server's tools may cost in each request without a finding. */
const MANY_TOKENS = 3_000;
/** How many of its tools are named. */
const NAMED = 5;

interface Cost {
  readonly tool: string;
  readonly tokens: number;
}

/** Servers whose tools cost a model too many tokens, most expensive first, and which of their tools to leave out. */
export function tokenFindings(
  servers: readonly ServerSnapshot[],
  tools: readonly ToolDescriptor[],
): readonly Finding[] {
  const costs = servers.map((server) => {
    const own = tools.filter((tool) => tool.server === server.name);
    const dearest = own
      .map((tool): Cost => ({ tool: tool.originalName, tokens: estimateTokens(tool) }))
      .toSorted((a, b) => b.tokens - a.tokens);
    return { server, dearest, tokens: dearest.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
  return costs
    .filter(({ tokens }) => tokens > MANY_TOKENS)
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ server, dearest, tokens }) => costFinding(server, dearest, tokens));
}

function costFinding({ name, definedIn }: ServerSnapshot, dearest: readonly Cost[], tokens: number): Finding {
  const named = dearest.slice(0, NAMED);
  const list = named.map((cost) => `${cost.tool} (~${cost.tokens})`).join(", ");
  const message = `The ${dearest.length} tools of server ${JSON.stringify(name)} cost a model about ${tokens} tokens per request; the largest are ${list}.`;
  const exclude = JSON.stringify(named.map(({ tool }) => tool));
  const nextStep = `Exclude the tools that you do not need: "tools": { "exclude": ${exclude} } in the entry.`;
  const { file, line } = definedIn;
  return findingOf("many-tokens", message, nextStep, { server: name, file, line });
}
