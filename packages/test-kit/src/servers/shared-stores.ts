import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A real store for a fleet, as Debian packages it. Ends, with its data, when it is disposed of. */
export interface RealStore extends AsyncDisposable {
  readonly url: string;
  /** Ends it as `kill -9` does, and starts it on the same port and data. What it had acknowledged is still there. */
  restart(downForMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** How a kind of store is installed and run. */
interface StoreKind {
  readonly debianPackage: string;
  program(): string | undefined;
  prepare?(program: string, directory: string): void;
  readonly user?: string;
  args(port: number, directory: string): readonly string[];
  /** A command that ends with 0 once it serves: it listens before that. */
  asking(program: string, port: number): readonly [string, readonly string[]];
  url(port: number): string;
}

const REDIS: StoreKind = {
  debianPackage: "redis-server",
  program: () => onPath("redis-server"),
  args: (port, directory) => [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "always"],
  ],
  asking: (_program, port) => ["redis-cli", ["-e", "-p", String(port), "ping"]],
  url: (port) => `redis://127.0.0.1:${port}`,
};

const POSTGRES: StoreKind = {
  debianPackage: "postgresql",
  program: () => globSync("/usr/lib/postgresql/*/bin/postgres").at(-1) ?? onPath("postgres"),
  user: "postgres",
  prepare(program, directory) {
    const init = join(program, "..", "initdb");
    const args = ["-D", directory, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-locale"];
    const { status, stderr } = spawnSync(init, args, { ...runAs(this.user), encoding: "utf8" });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  },
  args: (port, directory) => [
    ...["-D", directory, "-p", String(port), "-h", "127.0.0.1", "-k", directory],
    ...["-c", "max_connections=200"],
  ],
  asking: (program, port) => [
    join(program, "..", "pg_isready"),
    ["-q", "-h", "127.0.0.1", "-p", String(port)],
  ],
  url: (port) => `postgresql://postgres@127.0.0.1:${port}/postgres`,
};

/**
 * Starts a store, and installs it first if it is missing and this process may (as root, with apt-get). Where that is impossible it resolves
 * with `undefined`, and says so on standard error: nobody should believe that what was skipped has passed.
 */
export async function startRealStore(kind: "redis" | "postgres"): Promise<RealStore | undefined> {
  const how = kind === "redis" ? REDIS : POSTGRES;
  if (how.program() === undefined && process.getuid?.() === 0) install(how.debianPackage);
  const program = how.program();
  if (program === undefined) {
    process.stderr.write(`SKIPPED: what needs a real ${kind}. Install the package ${how.debianPackage}.\n`);
    return undefined;
  }
  const directory = mkdtempSync(join(tmpdir(), `jackfield-${kind}-`));
  const identity = runAs(how.user);
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  how.prepare?.(program, directory);
  const port = await freePort();
  let child: ChildProcess;
  const start = async () => {
    child = spawn(program, how.args(port, directory), { ...identity, stdio: "ignore" });
    await untilServing(child, how.asking(program, port));
  };
  const stop = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  await start();
  return {
    url: how.url(port),
    async restart(downForMs = 0) {
      // A Postgres that is killed leaves children, which keep a new one from starting; this signal ends it as abruptly.
      await stop(kind === "postgres" ? "SIGQUIT" : "SIGKILL");
      await wait(downForMs);
      await start();
    },
    stop: () => stop("SIGINT"),
    async [Symbol.asyncDispose]() {
      await stop("SIGINT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function install(debianPackage: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const args = ["-o", "DPkg::Lock::Timeout=120", "install", "-y", "--no-install-recommends", debianPackage];
  const { error } = spawnSync("apt-get", args, { env, stdio: "ignore", timeout: 180_000 });
  if (error) process.stderr.write(`apt-get ${args.join(" ")}: ${error.message}\n`);
}

function onPath(program: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/** Postgres refuses to run as root. */
function runAs(user: string | undefined): { readonly uid?: number; readonly gid?: number } {
  if (user === undefined || process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync("id", [flag, user], { encoding: "utf8" }).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Below the ports that systems hand out themselves, so that nobody else gets it while the store is away. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 8_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Asks until it serves. */
async function untilServing(
  child: ChildProcess,
  [command, args]: readonly [string, readonly string[]],
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The store ended with ${child.exitCode}.`);
    const [code] = await once(spawn(command, args, { stdio: "ignore" }), "close");
    if (code === 0) return;
    await wait(20);
  }
}
