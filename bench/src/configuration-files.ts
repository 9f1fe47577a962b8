import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where hosts keep their configuration in a home, and in a project in its folder `work`, by the key that servers stand under. */
const FILES = {
  mcpServers: [
    "work/.mcp.json",
    "work/.cursor/mcp.json",
    "work/.gemini/settings.json",
    "work/.github/mcp.json",
    "work/.roo/mcp.json",
    "work/.kiro/settings/mcp.json",
    "work/.junie/mcp/mcp.json",
    "work/.warp/.mcp.json",
    "work/.omp/mcp.json",
    "work/config/mcporter.json",
    "work/.air/mcp.json",
    ".claude.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".codeium/windsurf/mcp_config.json",
    ".copilot/mcp-config.json",
    ".cline/data/settings/cline_mcp_settings.json",
    ".kiro/settings/mcp.json",
    ".lmstudio/mcp.json",
    ".junie/mcp/mcp.json",
    ".warp/.mcp.json",
    ".omp/agent/mcp.json",
    ".mcporter/mcporter.json",
    ".mcp-inspector/mcp.json",
  ],
  servers: ["work/.vscode/mcp.json", ".config/Code/User/mcp.json"],
  context_servers: ["work/.zed/settings.json", ".config/zed/settings.json"],
  "amp.mcpServers": ["work/.amp/settings.json"],
  mcp: ["work/crush.json"],
} as const;

const SERVERS_PER_FILE = 10;

/** How many servers are written. */
export const CONFIGURED_SERVERS = SERVERS_PER_FILE * Object.values(FILES).flat().length;

/** The folder in a home that a project is in. */
export const projectIn = (home: string): string => join(home, "work");

/** Writes the configuration of many hosts into a home that is empty: 30 files with ten servers each. */
export async function writeConfigurationFiles(home: string): Promise<void> {
  await mkdir(join(projectIn(home), ".git"), { recursive: true });
  const files = Object.entries(FILES).flatMap(([key, paths]) => paths.map((path) => ({ key, path })));
  for (const [index, { key, path }] of files.entries()) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ [key]: entriesOf(index) }, undefined, 2));
  }
}

function entriesOf(file: number): object {
  const entries = Array.from({ length: SERVERS_PER_FILE }, (_, index) => {
    const name = `server-${file}-${index}`;
    const remote = { type: "sse", url: `https://${name}.example/mcp`, headers: {} };
    const local = { command: "npx", args: ["-y", name], env: { TOKEN: "${TOKEN}" }, type: "stdio" };
    return [name, index % 3 === 0 ? remote : local] as const;
  });
  return Object.fromEntries(entries);
}
