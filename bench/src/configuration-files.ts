import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** How the files of a host are written. */
interface Spelling {
  /** The key that servers stand under. Default `mcpServers`. */
  readonly key?: string;
  /** How it refers to a variable of the environment; missing where it fills in none. */
  readonly reference?: string;
  /** Whether its entries say what kind of server they are. Default true. */
  readonly hasTypes?: boolean;
}

const SHELL: Spelling = { reference: "${TOKEN}" };
const PREFIXED: Spelling = { reference: "${env:TOKEN}" };
const PLAIN: Spelling = {};
const VSCODE: Spelling = { ...PREFIXED, key: "servers" };
const ZED: Spelling = { key: "context_servers", hasTypes: false };

/** Where hosts keep their configuration in a home, and in a project in its folder `work`. */
const FILES: { readonly [path: string]: Spelling } = {
  // Several hosts read this one, each with a syntax of its own.
  "work/.mcp.json": PLAIN,
  "work/.cursor/mcp.json": PREFIXED,
  "work/.gemini/settings.json": SHELL,
  "work/.github/mcp.json": SHELL,
  "work/.roo/mcp.json": PREFIXED,
  "work/.kiro/settings/mcp.json": SHELL,
  "work/.junie/mcp/mcp.json": PLAIN,
  "work/.warp/.mcp.json": PLAIN,
  "work/.omp/mcp.json": SHELL,
  "work/config/mcporter.json": SHELL,
  "work/.air/mcp.json": PLAIN,
  "work/.vscode/mcp.json": VSCODE,
  "work/.zed/settings.json": ZED,
  "work/.amp/settings.json": { ...SHELL, key: "amp.mcpServers" },
  "work/crush.json": { ...SHELL, key: "mcp" },
  ".claude.json": SHELL,
  ".cursor/mcp.json": PREFIXED,
  ".gemini/settings.json": SHELL,
  ".codeium/windsurf/mcp_config.json": PREFIXED,
  ".copilot/mcp-config.json": SHELL,
  ".cline/data/settings/cline_mcp_settings.json": PREFIXED,
  ".kiro/settings/mcp.json": SHELL,
  ".lmstudio/mcp.json": PLAIN,
  ".junie/mcp/mcp.json": PLAIN,
  ".warp/.mcp.json": PLAIN,
  ".omp/agent/mcp.json": SHELL,
  ".mcporter/mcporter.json": SHELL,
  ".mcp-inspector/mcp.json": PLAIN,
  ".config/Code/User/mcp.json": VSCODE,
  ".config/zed/settings.json": ZED,
};

const SERVERS_PER_FILE = 10;

/** How many servers are written. */
export const CONFIGURED_SERVERS = SERVERS_PER_FILE * Object.keys(FILES).length;

/** The folder in a home that a project is in. */
export const projectIn = (home: string): string => join(home, "work");

/** Writes the configuration of many hosts into a home that is empty: 30 files with ten servers each. */
export async function writeConfigurationFiles(home: string): Promise<void> {
  await mkdir(join(projectIn(home), ".git"), { recursive: true });
  for (const [index, [path, spelling]] of Object.entries(FILES).entries()) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    const { key = "mcpServers" } = spelling;
    await writeFile(file, JSON.stringify({ [key]: entriesOf(index, spelling) }, undefined, 2));
  }
}

function entriesOf(file: number, { reference, hasTypes = true }: Spelling): object {
  const entries = Array.from({ length: SERVERS_PER_FILE }, (_, index) => {
    const name = `server-${file}-${index}`;
    const isRemote = index % 3 === 0;
    const remote = { url: `https://${name}.example/mcp`, headers: {} };
    const env = reference === undefined ? { LOG_LEVEL: "info" } : { TOKEN: reference };
    const local = { command: "npx", args: ["-y", name], env };
    const type = isRemote ? "sse" : "stdio";
    return [name, { ...(hasTypes ? { type } : {}), ...(isRemote ? remote : local) }] as const;
  });
  return Object.fromEntries(entries);
}
