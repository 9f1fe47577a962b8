// What bundlers make of the packages: the function of examples/serverless.mts as one file of esbuild, webpack and Vite, and the Next.js app
// with both of its builders, each run with nothing installed beside it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { startOfflineModel } from "../../apps/agent/src/offline-model/server.ts";
import { root } from "../workspace.mjs";

const VERSIONS = { esbuild: "0.28.2", webpack: "5.113.0", vite: "8.4.0" };
const ANSWER = "three issues are open";

/** Builds and runs all of them in this place; resolves with what went wrong, by title. */
export async function tryBundlers(place, packages) {
  await using model = await startOfflineModel();
  await using tracker = await startTracker();
  const env = { OPENAI_BASE_URL: model.baseUrl, TRACKER_URL: tracker.url };
  const tarballs = packages.map(({ tarball }) => tarball);
  return {
    ...(await tryFunction(place, tarballs, env)),
    ...(await tryNext(place, tarballs, { ...env, NEXT_TELEMETRY_DISABLED: "1" })),
  };
}

async function tryFunction(place, tarballs, env) {
  const cwd = join(place.folder, "function");
  mkdirSync(join(cwd, "run"), { recursive: true });
  cpSync(join(root, "examples/serverless.mts"), join(cwd, "function.ts"));
  writeFileSync(join(cwd, "package.json"), '{ "private": true, "type": "module" }\n');
  const { devDependencies } = JSON.parse(readFileSync(join(root, "examples/package.json"), "utf8"));
  const beside = ["ai", "@ai-sdk/openai-compatible"].map((name) => `${name}@${devDependencies[name]}`);
  const tools = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const installed = await place.run("npm", ["install", ...tarballs, ...beside, ...tools], { cwd });
  if (installed.code !== 0) return { "the function": [installed.stderr] };
  writeFileSync(join(cwd, "build.mjs"), BUILD);
  writeFileSync(
    join(cwd, "invoke.mjs"),
    `const bundle = await import(process.argv[2]);
    const { handler } = bundle.handler ? bundle : bundle.default;
    console.log((await handler({ prompt: "Look up what is open." })).text);
    process.exit();`,
  );
  const problems = {};
  for (const how of ["esbuild cjs", "esbuild esm", "webpack", "vite"]) {
    const built = await place.run("node", ["build.mjs", how], { cwd });
    const file = built.stdout.trim().split("\n").at(-1) ?? "";
    if (built.code !== 0 || built.stderr !== "") {
      problems[how] = [built.stdout + built.stderr];
      continue;
    }
    // Elsewhere, where nothing is installed.
    const elsewhere = join(place.folder, "elsewhere");
    cpSync(join(cwd, "out"), elsewhere, { recursive: true });
    cpSync(join(cwd, "invoke.mjs"), join(elsewhere, "invoke.mjs"));
    const ran = await place.run("node", ["invoke.mjs", `./${file}`], { cwd: elsewhere, env });
    problems[how] = ran.stdout.includes(ANSWER) && ran.stderr === "" ? [] : [ran.stdout + ran.stderr];
    rmSync(elsewhere, { recursive: true });
    rmSync(join(cwd, "out"), { recursive: true });
  }
  return problems;
}

/** Prints the file that it has made in `out`; a warning is an error. */
const BUILD = `
const how = process.argv[2];
const fail = (told) => { console.error(told); process.exit(1); };
const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
if (how.startsWith("esbuild")) {
  const format = how.split(" ")[1];
  const outfile = format === "cjs" ? "out/function.cjs" : "out/function.mjs";
  const { build } = await import("esbuild");
  const js = format === "esm" ? banner : "";
  const { warnings } = await build({ entryPoints: ["function.ts"], bundle: true, platform: "node", format, outfile, banner: { js }, logLevel: "silent" });
  if (warnings.length > 0) fail(JSON.stringify(warnings));
} else if (how === "webpack") {
  const { transform } = await import("esbuild");
  const { readFileSync, writeFileSync } = await import("node:fs");
  writeFileSync("function.mjs", (await transform(readFileSync("function.ts", "utf8"), { loader: "ts" })).code);
  const { default: webpack } = await import("webpack");
  const settings = { mode: "production", target: "node22", entry: "./function.mjs", output: { path: process.cwd() + "/out", filename: "function.cjs", library: { type: "commonjs2" } } };
  const stats = await new Promise((resolve, reject) => webpack(settings, (error, stats) => (error ? reject(error) : resolve(stats))));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  if (errors.length + warnings.length > 0) fail([...errors, ...warnings].map(({ message, moduleName }) => moduleName + ": " + message).join("\\n"));
} else {
  const { build } = await import("vite");
  await build({ logLevel: "warn", build: { ssr: "function.ts", outDir: "out", target: "node22" }, ssr: { noExternal: true } });
}
console.log(how === "vite" ? "function.js" : how === "esbuild esm" ? "function.mjs" : "function.cjs");
`;

async function tryNext(place, tarballs, env) {
  const cwd = join(place.folder, "next");
  cpSync(join(root, "examples/next"), cwd, { recursive: true });
  const installed = await place.run("npm", ["install", ...tarballs], { cwd });
  if (installed.code !== 0) return { "Next.js": [installed.stderr] };
  const problems = {};
  for (const builder of ["--turbopack", "--webpack"]) {
    rmSync(join(cwd, ".next"), { recursive: true, force: true });
    const built = await place.run("npx", ["next", "build", builder], { cwd, env });
    const told = built.stdout + built.stderr;
    const title = `Next.js ${builder}, standalone`;
    if (built.code !== 0 || /warn/i.test(told)) problems[title] = [told];
    else problems[title] = await askStandalone(place, join(cwd, ".next/standalone"), env);
  }
  return problems;
}

async function askStandalone(place, from, env) {
  const cwd = join(place.folder, "standalone");
  cpSync(from, cwd, { recursive: true });
  writeFileSync(join(cwd, "mcp.json"), JSON.stringify({ mcpServers: { tracker: { url: env.TRACKER_URL } } }));
  const port = String(await freePort());
  const settings = {
    ...process.env,
    NODE_OPTIONS: "",
    ...env,
    PORT: port,
    HOSTNAME: "127.0.0.1",
    JACKFIELD_HOME: join(place.folder, "home"),
  };
  const server = spawn(join(place.folder, "bin", "node"), ["server.js"], { cwd, env: settings });
  let output = "";
  const isReady = new Promise((resolve) => {
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (/ready/i.test(output)) resolve();
      });
    server.once("exit", resolve);
  });
  try {
    await isReady;
    const parts = [{ type: "text", text: "Look up what is open." }];
    const body = JSON.stringify({ messages: [{ id: "1", role: "user", parts }] });
    const answer = await fetch(`http://127.0.0.1:${port}/api/chat`, { method: "POST", body });
    const text = await answer.text();
    return text.includes(ANSWER) ? [] : [`${answer.status} ${text}\n${output}`];
  } catch (error) {
    return [`${error}\n${output}`];
  } finally {
    const ended = once(server, "exit");
    if (server.exitCode === null) {
      server.kill("SIGKILL");
      await ended;
    }
    rmSync(cwd, { recursive: true });
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A remote server with one tool. */
async function startTracker() {
  const tool = {
    name: "look_up",
    description: "Looks up what is open.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const serverInfo = { name: "tracker", version: "1" };
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: ANSWER }] },
  };
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = await json(request);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = results[method]
      ? { result: results[method] }
      : { error: { code: -32601, message: "no such method" } };
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, [Symbol.asyncDispose]: close };
}
