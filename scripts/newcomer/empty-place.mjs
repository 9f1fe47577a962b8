// A place as a newcomer has it: a folder outside the repository, an empty home, a Node, and nothing of this workspace on the path or in the
// environment. Whoever looks at a file of the repository from there is written down.
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ownNode, root } from "../workspace.mjs";

/** How this machine reaches the network; without it, some can install nothing. */
const REACHES_THE_NETWORK =
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|((https?|no|all)_proxy)|npm_config_(registry|cafile|proxy|https_proxy|noproxy))$/i;
const KEPT = /^(LANG|LC_ALL|TMPDIR|TEMP|SystemRoot|ComSpec|PATHEXT)$/i;

/**
 * Makes one, with a Node, and with a cache of npm's that outlives it; without one, everything is downloaded. Its `run` resolves with the
 * exit code and both outputs of a command; `touched` gives what was looked at in the repository since `forgetTouched`; `close` removes it.
 */
export function makeEmptyPlace({ node = ownNode, npmCache = process.env.npm_config_cache } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-newcomer-"));
  for (const name of ["bin", "home", "project"]) mkdirSync(join(folder, name));
  const windows = process.platform === "win32";
  copyFileSync(node, join(folder, "bin", windows ? "node.exe" : "node"));
  // For the servers that `npx` starts: what it has fetched once, it does not ask the registry for again.
  writeFileSync(join(folder, "home", ".npmrc"), "prefer-offline=true\n");
  const log = join(folder, "touched.log");
  const watcher = pathToFileURL(join(folder, "bin", "repository-watcher.mjs"));
  copyFileSync(new URL("repository-watcher.mjs", import.meta.url), watcher);
  watcher.search = new URLSearchParams({ repository: root, log }).toString();
  const project = join(folder, "project");
  const environment = {
    ...pick((name) => REACHES_THE_NETWORK.test(name) || KEPT.test(name)),
    PATH: [join(folder, "bin"), ...foreignPath()].join(delimiter),
    HOME: join(folder, "home"),
    USERPROFILE: join(folder, "home"),
    // Where servers have to be put into the user's own file, so that its place is known on every system.
    ...(Object.keys(networkVariables()).length === 0 ? {} : { JACKFIELD_HOME: join(folder, "home") }),
    npm_config_update_notifier: "false",
    // A busy machine and a slow registry are not what is tried here.
    JACKFIELD_TIMEOUT_MS: "300000",
    ...(npmCache === undefined ? {} : { npm_config_cache: npmCache }),
    NODE_OPTIONS: `--import=${watcher.href}`,
  };
  return {
    folder,
    project,
    /** The user's own configuration file; there is none at first. */
    ownFile: join(folder, "home", "mcp.json"),
    run: (command, args, { env = {}, cwd = project } = {}) =>
      runApart(command, args, { cwd, env: { ...environment, ...env }, shell: windows }),
    touched: () => (existsSync(log) ? [...new Set(readFileSync(log, "utf8").trim().split("\n"))] : []),
    forgetTouched: () => rmSync(log, { force: true }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a server that fetches itself from the registry needs of this machine's environment, and is not given by itself. */
export function networkVariables() {
  return pick((name) => REACHES_THE_NETWORK.test(name) && !name.startsWith("npm_config_"));
}

function pick(isWanted) {
  return Object.fromEntries(Object.entries(process.env).filter(([name, value]) => isWanted(name) && value));
}

function foreignPath() {
  return (process.env.PATH ?? "").split(delimiter).filter((part) => !part.startsWith(root.slice(0, -1)));
}

function runApart(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const result = { code: 1, stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (text) => (result[stream] += text));
    child.on("error", (error) => resolve({ ...result, stderr: `${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ ...result, code: code ?? 1 }));
  });
}
