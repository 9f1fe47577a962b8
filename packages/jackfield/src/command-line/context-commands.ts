import { McpError, type PromptDefinition, type ServerSnapshot } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandArguments } from "./arguments.ts";
import { blockText } from "./call-command.ts";
import type { CommandResult } from "./command-result.ts";
import { untilListed } from "./late-servers.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { printableLine, printableName } from "./lines.ts";
import { nextCommand } from "./next-command.ts";
import type { Page } from "./page.ts";
import { printable } from "./terminal.ts";
import { serverNames } from "./tool-reference.ts";
import { refuseUnknownServer } from "./tools-command.ts";
import { inputFor, readInput } from "./typed-values.ts";
import { didYouMean, UsageError } from "./wrong-usage.ts";

type ContextArguments = CommandArguments & {
  readonly command: "resources" | "read" | "prompts" | "prompt";
};

/**
 * Lists resources or prompts, or asks a server for one of them. A server that is named is the only one that is started.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN`, `MCP_REQUEST_REJECTED` for a resource or prompt that the server does not have, and why it could not
 * be asked
 */
export async function askContext(
  mcp: Mcp,
  args: ContextArguments,
  signal: AbortSignal,
): Promise<CommandResult> {
  switch (args.command) {
    case "resources":
      return listResources(mcp, args, signal);
    case "read":
      return readResource(mcp, args, signal);
    case "prompts":
      return listPrompts(mcp, args, signal);
    default:
      return getPrompt(mcp, args, signal);
  }
}

/** Starts the named server, unless the catalog knows its lists; without a name, waits for all. */
async function untilKnown(
  mcp: Mcp,
  server: string | undefined,
  args: ContextArguments,
  signal: AbortSignal,
): Promise<void> {
  if (server === undefined) return untilListed(mcp, { signal });
  await refuseUnknownServer(mcp, server, args);
  const isWanted = ({ name }: ServerSnapshot) => name === server;
  const failed = await startLazyServers(mcp, signal, { isWanted, timeoutMs: args.timeoutMs });
  const broken = mcp.servers().find(({ name }) => name === server);
  if (failed[0] !== undefined) throw failed[0].error;
  if (broken?.error !== undefined && broken.status === "failed")
    throw new McpError(broken.error.code, broken.error.message, { server });
}

async function listResources(
  mcp: Mcp,
  args: ContextArguments & { readonly command: "resources" | "prompts" },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { server } = args;
  await untilKnown(mcp, server, args, signal);
  const [resources, templates] = await Promise.all([mcp.resources(server), mcp.resourceTemplates(server)]);
  const rows = [
    ...resources.map((one) => ({ ...one, address: one.uri })),
    ...templates.map((one) => ({ ...one, address: one.uriTemplate })),
  ];
  const text = ({ columns }: Page) =>
    rows
      .map(({ server: owner, address, name, title, description }) => {
        const about = printableLine(description ?? title ?? name, columns - 4);
        return `${printableName(owner)} ${printable(address)}\n    ${about}\n`;
      })
      .join("");
  return {
    json: { resources, templates },
    text: rows.length === 0 ? "There are no resources.\n" : text,
    exitCode: 0,
  };
}

async function readResource(
  mcp: Mcp,
  args: ContextArguments & { readonly command: "read" },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { server, uri, timeoutMs } = args;
  await refuseUnknownServer(mcp, server, args);
  const result = await mcp.readResource(server, uri, { signal, timeoutMs });
  const texts = result.contents.map((part) =>
    "text" in part
      ? `${printable(part.text)}\n`
      : `[${part.mimeType ?? "binary"}, ${Buffer.byteLength(part.blob, "base64")} bytes; --json prints them]\n`,
  );
  return { json: result, text: texts.join(""), exitCode: 0 };
}

async function listPrompts(
  mcp: Mcp,
  args: ContextArguments & { readonly command: "resources" | "prompts" },
  signal: AbortSignal,
): Promise<CommandResult> {
  await untilKnown(mcp, args.server, args, signal);
  const prompts = await mcp.prompts(args.server);
  const text = ({ columns }: Page) =>
    prompts
      .map((prompt) => {
        const about = printableLine(prompt.description ?? prompt.title ?? "", columns - 4);
        return `${printableName(promptName(prompt))}(${given(prompt)})\n${about === "" ? "" : `    ${about}\n`}`;
      })
      .join("");
  return { json: { prompts }, text: prompts.length === 0 ? "There are no prompts.\n" : text, exitCode: 0 };
}

function given({ arguments: list = [] }: PromptDefinition): string {
  return list.map(({ name, required }) => `${printable(name)}${required === true ? "" : "?"}`).join(", ");
}

function promptName({ server, name }: { readonly server: string; readonly name: string }): string {
  return `${server}.${name}`;
}

async function getPrompt(
  mcp: Mcp,
  args: ContextArguments & { readonly command: "prompt" },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { timeoutMs, cwd } = args;
  const { server, name, words } = await promptOf(mcp, args);
  const noInput = () => {
    throw new UsageError('A prompt takes key=value, not "-".');
  };
  const typed = inputFor(await readInput(words, { stdin: noInput, cwd, signal }), undefined);
  // A prompt takes texts only.
  const values = Object.entries(typed).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const result = await mcp.getPrompt(server, name, Object.fromEntries(values), { signal, timeoutMs });
  const text = result.messages
    .map(({ role, content }) => `${role}: ${printable(blockText(content))}\n`)
    .join("\n");
  return { json: result, text, exitCode: 0 };
}

/** The prompt that is meant: `server.prompt`, a server and a prompt, or a prompt that only one server is known to have. */
async function promptOf(mcp: Mcp, args: ContextArguments & { readonly command: "prompt" }) {
  const { prompt, words, server } = args;
  if (server !== undefined) return { server, name: prompt, words };
  for (const one of serverNames(mcp)) {
    const [second, ...rest] = words;
    if (prompt === one && second !== undefined) return { server: one, name: second, words: rest };
    if (prompt.startsWith(one) && /^[./:]/.test(prompt.slice(one.length)))
      return { server: one, name: prompt.slice(one.length + 1), words };
  }
  const known = await mcp.prompts();
  const [found, ...others] = known.filter(({ name }) => name === prompt);
  if (found !== undefined && others.length === 0) return { server: found.server, name: prompt, words };
  const several = [found, ...others].flatMap((one) => (one === undefined ? [] : promptName(one)));
  const hint =
    several.length > 1
      ? `several servers have one: ${several.join(", ")}.`
      : (didYouMean(prompt, [...known.map(promptName), ...serverNames(mcp).map((one) => `${one}.`)]) ??
        `write SERVER.PROMPT; "${nextCommand("prompts", args)}" lists them.`);
  throw new McpError("MCP_REQUEST_REJECTED", `No prompt is called ${JSON.stringify(prompt)}; ${hint}`);
}
