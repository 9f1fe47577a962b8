// Measures what it costs to find 300 servers in 30 files, beside what it costs to start Node.js and do nothing:
//   node test/stress/measure-discovery.mjs [ROUNDS]
// Both are run in turns, and the differences of their lowest values, lower quartiles and medians are printed: wall time, and the main
// thread's time on the processor, which is what remains of wall time on a machine that is not busy. Where the medians swing from run to
// run, the lowest values are those to compare. With --with-parsers two further files are TOML and YAML, whose parsers are then loaded.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SERVERS_PER_FILE = 10;
/** Files by the key their servers stand under. */
const FILES = {
  mcpServers: [
    ...["work/.mcp.json", "work/.cursor/mcp.json", "work/.gemini/settings.json", "work/.github/mcp.json"],
    ...[
      "work/.roo/mcp.json",
      "work/.kiro/settings/mcp.json",
      "work/.junie/mcp/mcp.json",
      "work/.warp/.mcp.json",
    ],
    ...["work/.omp/mcp.json", "work/config/mcporter.json", "work/.air/mcp.json", ".claude.json"],
    ...[".cursor/mcp.json", ".gemini/settings.json", ".codeium/windsurf/mcp_config.json"],
    ...[
      ".copilot/mcp-config.json",
      ".cline/data/settings/cline_mcp_settings.json",
      ".kiro/settings/mcp.json",
    ],
    ...[".lmstudio/mcp.json", ".junie/mcp/mcp.json", ".warp/.mcp.json", ".omp/agent/mcp.json"],
    ...[".mcporter/mcporter.json", ".mcp-inspector/mcp.json"],
  ],
  servers: ["work/.vscode/mcp.json", ".config/Code/User/mcp.json"],
  context_servers: ["work/.zed/settings.json", ".config/zed/settings.json"],
  "amp.mcpServers": ["work/.amp/settings.json"],
  mcp: ["work/crush.json"],
};
const BARE = [
  "-e",
  "const { user, system } = process.threadCpuUsage(); console.log(JSON.stringify({ processorMs: (user + system) / 1000 }))",
];
const DISCOVERING = [fileURLToPath(new URL("../fixtures/discover-all.mjs", import.meta.url))];

const [rounds = "20"] = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const home = mkdtempSync(join(tmpdir(), "mcp-measure-"));
try {
  const written = writeFiles(process.argv.includes("--with-parsers"));
  const found = run([...DISCOVERING, home]);
  process.stdout.write(`${written} files, ${found.servers} servers found, ${found.problems} problems\n`);
  const samples = { bare: [], discovering: [] };
  for (let round = 0; round < Number(rounds); round += 1) {
    samples.bare.push(run(BARE));
    samples.discovering.push(run([...DISCOVERING, home]));
  }
  for (const field of ["wallMs", "processorMs"]) {
    for (const [name, part] of Object.entries({ lowest: 0, "lower quartile": 0.25, median: 0.5 })) {
      const [bare, discovering] = [
        quantileOf(samples.bare, field, part),
        quantileOf(samples.discovering, field, part),
      ];
      const difference = (discovering - bare).toFixed(1);
      process.stdout.write(
        `${field}, ${name}: ${bare.toFixed(1)} bare, ${discovering.toFixed(1)} with discovery, ${difference} more\n`,
      );
    }
  }
} finally {
  rmSync(home, { recursive: true });
}

function writeFiles(withParsers) {
  let count = 0;
  for (const [key, files] of Object.entries(FILES)) {
    for (const file of files) write(file, JSON.stringify({ [key]: serversOf(count++) }, undefined, 2));
  }
  mkdirSync(join(home, "work", ".git"), { recursive: true });
  if (!withParsers) return count;
  write(".codex/config.toml", '[mcp_servers.toml]\ncommand = "toml"\n');
  write(".config/goose/config.yaml", "extensions:\n  yaml: { type: stdio, cmd: yaml }\n");
  return count + 2;
}

function serversOf(file) {
  const entries = Array.from({ length: SERVERS_PER_FILE }, (_, index) => {
    const name = `server-${file}-${index}`;
    const local = { command: "npx", args: ["-y", name], env: { TOKEN: "${TOKEN}" }, type: "stdio" };
    return [name, index % 3 === 0 ? { type: "sse", url: `https://${name}.example/mcp`, headers: {} } : local];
  });
  return Object.fromEntries(entries);
}

function write(file, content) {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), content);
}

function run(words) {
  const startedAt = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8" });
  const wallMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(stderr);
  return { ...JSON.parse(stdout), wallMs };
}

function quantileOf(samples, field, part) {
  const sorted = samples.map((sample) => sample[field]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)];
}
