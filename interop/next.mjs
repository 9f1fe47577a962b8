// Tries one runtime under hot reload: a real `next dev`, with either bundler, in which twelve saves must leave one runtime and one process of
// its server; and a real `next build`, which evaluates the same module and must start nothing. Exit code 0 if all is well, else 1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { install } from "./installation.mjs";
import { print } from "./table.mjs";

const SAVES = 12;
const PATIENCE_MS = 120_000;
const APP = fileURLToPath(new URL("next-app", import.meta.url));
const folder = install(join(APP, "package.json"), fileURLToPath(new URL(".hot-reload", import.meta.url)));
const starts = join(folder, "starts.txt");
const NEXT = join(folder, "node_modules", "next", "dist", "bin", "next");
const LINK = join(folder, "node_modules", "jackfield");
if (!existsSync(LINK))
  symlinkSync(fileURLToPath(new URL("../packages/jackfield", import.meta.url)), LINK, "dir");

const problems = [];
for (const bundler of ["--turbopack", "--webpack"].filter(
  (one) => process.argv[2] === undefined || one === process.argv[2],
)) {
  await tryDevelopment(bundler);
  await tryBuild(bundler);
}
for (const problem of problems) print(problem);
print(
  problems.length === 0 ? "all is well under hot reload" : `${problems.length} problems under hot reload`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

/** The application as it is before the first save. */
function prepare() {
  rmSync(join(folder, ".next"), { recursive: true, force: true });
  rmSync(starts, { force: true });
  cpSync(APP, folder, { recursive: true, force: true });
}

function run(...args) {
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: "1",
    ECHO_SERVER: join(folder, "echo-server.mjs"),
    STARTS: starts,
  };
  return spawn(process.execPath, [NEXT, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
}

async function tryDevelopment(bundler) {
  prepare();
  const child = run("dev", bundler, "-p", "0", "-H", "127.0.0.1");
  const ended = once(child, "exit");
  try {
    const address = await addressIn(child.stdout);
    const seen = [await answer(address, 0)];
    for (let saved = 1; saved <= SAVES; saved += 1) {
      for (const file of ["app/api/tools/route.js", "lib/mcp.js"]) save(join(folder, file), saved);
      seen.push(await answer(address, saved));
    }
    const pids = new Set(seen.map(({ pid }) => pid));
    const count = startsSoFar();
    print(`next dev ${bundler}: ${SAVES} saves, ${pids.size} process(es) answered, ${count} started`);
    if (pids.size !== 1 || count !== 1) problems.push(`next dev ${bundler}: more than one process`);
    if (seen.some(({ tools }) => tools !== 1)) problems.push(`next dev ${bundler}: the tools were not there`);
  } finally {
    process.kill(-child.pid, "SIGTERM");
    await ended;
  }
  const [pid] = existsSync(starts) ? readFileSync(starts, "utf8").split("\n") : [];
  if (pid && !(await isGone(Number(pid))))
    problems.push(`next dev ${bundler}: process ${pid} was left behind`);
}

async function tryBuild(bundler) {
  prepare();
  const child = run("build", bundler);
  child.stdout.resume();
  const [exitCode] = await once(child, "exit");
  print(`next build ${bundler}: exit code ${exitCode}, ${startsSoFar()} started`);
  if (exitCode !== 0 || startsSoFar() !== 0)
    problems.push(`next build ${bundler}: it failed, or started a server`);
}

function save(file, saved) {
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/saved:? \d+/, (text) => text.replace(/\d+/, saved)),
  );
}

function startsSoFar() {
  return existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n").length : 0;
}

/** What the route answers once it is the saved one. */
async function answer(address, saved) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(`${address}/api/tools`);
    const text = await response.text();
    if (response.ok && JSON.parse(text).saved === saved) return JSON.parse(text);
    if (Date.now() > until)
      throw new Error(`The application did not change after save ${saved}: ${text.slice(0, 300)}`);
    await wait(100);
  }
}

async function addressIn(stdout) {
  let said = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
    if (found !== null) {
      stdout.resume();
      return found[0];
    }
  }
  throw new Error(`next dev has ended: ${said}`);
}

async function isGone(pid) {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await wait(100);
  }
  return false;
}
