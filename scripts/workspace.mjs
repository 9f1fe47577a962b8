// Sets the workspace up with nothing but npm and the Node it is run by, and runs its tools on the Node it brings along.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const nodeVersion = manifest.optionalDependencies.node;

/** The Node that the workspace brings along; it comes from npm like everything else. */
export const ownNode = join(
  root,
  "node_modules",
  "node",
  "bin",
  process.platform === "win32" ? "node.exe" : "node",
);

/** The environment in which the workspace's own tools, and its own Node, come first. */
export function ownEnvironment(extra = {}) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: "1", ...extra };
}

/** Installs every dependency, and makes sure that the workspace's own Node is there. */
export function install() {
  const pnpm = manifest.packageManager;
  const installed = spawnSync("npx", ["-y", pnpm, "install", "--frozen-lockfile"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (installed.status !== 0) {
    fail(
      `${pnpm} could not install the dependencies.`,
      `${installed.stdout ?? ""}${installed.stderr ?? installed.error ?? ""}`,
    );
  }
  const version = existsSync(ownNode)
    ? spawnSync(ownNode, ["--version"], { encoding: "utf8" }).stdout?.trim()
    : undefined;
  if (version !== `v${nodeVersion}`) {
    fail(
      `This workspace runs on Node ${nodeVersion}, which comes with its dependencies, but ${version ? `${version} is there` : "it could not be installed"}.`,
      `It was not run on ${process.version} instead. Check that npm can install the package node@${nodeVersion}, remove node_modules and try again.`,
    );
  }
}

/** Runs one of the workspace's tools; resolves with its exit code and what it printed. */
export function run(command, args, { env = {}, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: ownEnvironment(env),
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

export function fail(what, details) {
  console.error(`\n${what}\n${details}`);
  process.exit(1);
}
