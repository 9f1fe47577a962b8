import type { Mcp } from "jackfield";
import { fitLine, type Screen } from "./screen.ts";
import { describeServers } from "./server-table.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/** What a command works with. */
export interface CommandContext {
  readonly runtime: Pick<
    Mcp,
    "servers" | "tools" | "resources" | "prompts" | "reload" | "reconnect" | "disconnect" | "refreshTools"
  >;
  readonly screen: Screen;
  readonly style: TerminalStyle;
  /** Aborts the command. */
  readonly signal: AbortSignal;
}

interface ChatCommand {
  readonly usage: string;
  readonly means: string;
  /** @param name The text after the command's own words: a server's name, or an empty string. */
  run(name: string, context: CommandContext): Promise<void> | void;
}

/** The longest first, so that `/mcp` does not match `/mcp reload`. */
const COMMANDS: { readonly [words: string]: ChatCommand } = {
  "/mcp reconnect": {
    usage: "/mcp reconnect NAME",
    means: "reconnects a server",
    run: (name, context) => connect(name, context),
  },
  "/mcp disable": {
    usage: "/mcp disable NAME",
    means: "disconnects a server and removes its tools",
    async run(name, { runtime, screen }) {
      await runtime.disconnect(name);
      screen.write(`${withoutControls(name)} is disabled`);
    },
  },
  "/mcp enable": {
    usage: "/mcp enable NAME",
    means: "enables it again",
    run: (name, context) => connect(name, context),
  },
  "/mcp reload": {
    usage: "/mcp reload",
    means: "reads the configuration again",
    run: (_name, context) => reload(context),
  },
  "/mcp": { usage: "/mcp", means: "the servers: status, tools, calls, last error", run: showServers },
  "/tools": { usage: "/tools [NAME]", means: "the tools, of one server or of all", run: showTools },
  "/resources": {
    usage: "/resources [NAME]",
    means: "the resources",
    async run(name, { runtime, screen }) {
      const found = await runtime.resources(name === "" ? undefined : name);
      list(
        screen,
        found.map(({ server, uri, name: title }) => `${server}  ${uri}  ${title}`),
      );
    },
  },
  "/prompts": {
    usage: "/prompts [NAME]",
    means: "the prompts",
    async run(name, { runtime, screen }) {
      const found = await runtime.prompts(name === "" ? undefined : name);
      list(
        screen,
        found.map((prompt) => `${prompt.server}  ${prompt.name}  ${prompt.description ?? ""}`),
      );
    },
  },
  "/help": { usage: "/help", means: "shows this list", run: showHelp },
};

/** Runs the command in a line that begins with `/`. @throws McpError what the runtime throws. */
export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const words = Object.keys(COMMANDS).find((known) => line === known || line.startsWith(`${known} `));
  const name = line.slice(words?.length ?? 0).trim();
  const command = words === undefined ? undefined : COMMANDS[words];
  const wantsName = command?.usage.endsWith(" NAME") === true;
  const takesName = command?.usage.includes("NAME") === true;
  if (command === undefined || (wantsName && name === "") || (!takesName && name !== "")) {
    context.screen.write(
      words === undefined ? "There is no such command; see /help." : `Usage: ${usagesOf(words).join(", ")}`,
    );
    return;
  }
  await command.run(name, context);
}

/** How a command is written, and then the commands that begin with the same words. */
function usagesOf(words: string): readonly string[] {
  const longer = Object.keys(COMMANDS).filter((known) => known.startsWith(`${words} `));
  return [words, ...longer].flatMap((known) => COMMANDS[known]?.usage ?? []);
}

/** Connects a server and lists its tools, which are not known yet when it is connected. */
async function connect(name: string, { runtime, screen, signal }: CommandContext): Promise<void> {
  await runtime.reconnect(name, { signal });
  await runtime.refreshTools(name, { signal });
  const count = runtime.tools().filter(({ server }) => server === name).length;
  screen.write(`${withoutControls(name)} is connected and has ${count} tools`);
}

async function reload({ runtime, screen }: CommandContext): Promise<void> {
  const { applied, added, removed, changed, kept, problems, failed, blocked } = await runtime.reload();
  for (const { error } of [...problems, ...failed]) screen.write(withoutControls(error.message));
  for (const { name, reason } of blocked) screen.write(withoutControls(`not used: ${name}: ${reason}`));
  if (!applied) screen.write("Nothing was changed.");
  const parts = Object.entries({ added, removed, changed, kept }).map(
    ([what, names]) => `${names.length} ${what}`,
  );
  if (applied) screen.write(`servers: ${parts.join(", ")}`);
}

function showServers(_name: string, { runtime, screen, style }: CommandContext): void {
  const layout = { now: Date.now(), columns: screen.columns, style };
  for (const line of describeServers(runtime.servers(), layout)) screen.write(line);
}

function showTools(server: string, { runtime, screen }: CommandContext): void {
  if (server !== "" && !runtime.servers().some(({ name }) => name === server)) {
    screen.write(`No server is called ${withoutControls(server)}; see /mcp.`);
    return;
  }
  const tools = runtime.tools().filter((tool) => server === "" || tool.server === server);
  list(
    screen,
    tools.map(({ name, origin, description }) => `${name}  ${origin}  ${description}`),
  );
}

function showHelp(_name: string, { screen, style }: CommandContext): void {
  for (const { usage, means } of Object.values(COMMANDS)) {
    screen.write(`${usage.padEnd(20)} ${style.dim(means)}`);
  }
  screen.write(`${"/quit".padEnd(20)} ${style.dim("quits, as Ctrl+C does when nothing is in progress")}`);
}

function list(screen: Screen, lines: readonly string[]): void {
  if (lines.length === 0) screen.write("There are none.");
  for (const line of lines) screen.write(fitLine(withoutControls(line), screen.columns).trimEnd());
}
