import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";

useLeakCheck();

type Servers = NonNullable<OpenMcpOptions["servers"]>;

const has = (command: string) => spawnSync(command, ["--version"]).status === 0;

/** Servers that start by programs of the system, each of which would find something that the clone has planted. */
const LAUNCHED: { [name: string]: Servers[string] } = {
  ...(has("npx") && {
    npx: { command: "npx", args: ["-y", "planted-mcp@1.0.0"] },
    registry: { command: "npx", args: ["-y", "not-planted-mcp@1.0.0"] },
    exec: { command: "npm", args: ["exec", "-y", "--", "planted-mcp@1.0.0"] },
    env: { command: "env", args: ["X=y", "npx", "-y", "planted-mcp@1.0.0"] },
    shell: { command: "sh", args: ["-c", "exec npx -y planted-mcp@1.0.0"] },
  }),
  ...(has("Rscript") && { profile: { command: "Rscript", args: ["/dev/null"] } }),
  ...(has("python3") && {
    module: { command: "python3", args: ["-m", "planted_module"] },
    library: { command: "python3", args: ["-m", "json.tool", "/dev/null"] },
  }),
  preloaded: { command: process.execPath, args: ["--require", "planted-mcp", "/dev/null"] },
  code: { command: process.execPath, args: ["-e", "require('planted-mcp')"] },
};

describe.runIf(process.platform !== "win32")("a server that no project brought, in a hostile clone", () => {
  const before = process.cwd();
  let folder: TemporaryFolder;
  let clone: string;
  const registries = { ofClone: createServer(), ofUser: createServer() };
  const traps = Object.values(registries);
  const connections = [0, 0];
  const canary = () => join(folder.path, "canary");
  const ran = () => (existsSync(canary()) ? readFileSync(canary(), "utf8").trim().split(" ") : []);
  const write = (file: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };

  beforeAll(async () => {
    folder = temporaryFolder();
    clone = join(realpathSync(folder.path), "home", "clone");
    for (const [index, trap] of traps.entries()) {
      trap.on("connection", (socket) => {
        connections[index] = (connections[index] ?? 0) + 1;
        socket.destroy();
      });
      await new Promise<void>((listening) => trap.listen(0, "127.0.0.1", listening));
    }
    const settings = (registry: Server) =>
      `registry=http://127.0.0.1:${(registry.address() as AddressInfo).port}/\nupdate-notifier=false\nfetch-retries=0\n`;
    const trace = (how: string) =>
      `require("node:fs").appendFileSync(${JSON.stringify(canary())}, "${how} ");\n`;
    const python = (how: string) => `open(${JSON.stringify(canary())}, "a").write("${how} ")\n`;
    mkdirSync(join(clone, ".git"), { recursive: true });
    write(join(clone, "package.json"), '{ "name": "clone", "version": "1.0.0" }');
    write(join(clone, ".npmrc"), settings(registries.ofClone));
    write(join(dirname(clone), ".npmrc"), settings(registries.ofUser));
    const planted = join(clone, "node_modules/planted-mcp");
    const manifest = { name: "planted-mcp", version: "1.0.0", bin: { "planted-mcp": "x.js" }, main: "x.js" };
    write(join(planted, "package.json"), JSON.stringify(manifest));
    write(join(planted, "x.js"), `#!/usr/bin/env node\n${trace("package")}`, 0o755);
    mkdirSync(join(clone, "node_modules/.bin"));
    symlinkSync("../planted-mcp/x.js", join(clone, "node_modules/.bin/planted-mcp"));
    write(
      join(clone, "node_modules/.bin/interpreter"),
      `#!/bin/sh\nprintf 'PATH ' >> '${canary()}'\n`,
      0o755,
    );
    write(join(clone, "planted_module/__init__.py"), "");
    write(join(clone, "planted_module/__main__.py"), python("module"));
    write(join(clone, "json.py"), python("library"));
    write(join(clone, ".Rprofile"), `cat("profile ", file = ${JSON.stringify(canary())}, append = TRUE)\n`);
    write(join(clone, "planted.php"), `<?php file_put_contents('${canary()}', 'include ', FILE_APPEND);`);
    write(join(folder.path, "bin/own.php"), '<?php include "planted.php";');
    if (has("php")) LAUNCHED.include = { command: "php", args: [join(folder.path, "bin/own.php")] };
    if (!has("npx")) return;
    const wrapper = join(folder.path, "bin/own-server");
    write(wrapper, '#!/bin/sh\nexec npx -y planted-mcp@1.0.0 "$@"\n', 0o755);
    const link = join(folder.path, "bin/run");
    symlinkSync(
      realpathSync(spawnSync("sh", ["-c", "command -v npx"], { encoding: "utf8" }).stdout.trim()),
      link,
    );
    Object.assign(LAUNCHED, {
      wrapper: { command: wrapper },
      byShell: { command: "sh", args: [wrapper] },
      link: { command: link, args: ["-y", "planted-mcp@1.0.0"] },
    });
  });
  afterAll(() => {
    for (const trap of traps) trap.close();
    folder[Symbol.dispose]();
  });

  beforeEach(() => {
    process.chdir(clone);
    vi.stubEnv("HOME", dirname(clone));
    vi.stubEnv("JACKFIELD_HOME", join(folder.path, "own"));
    rmSync(canary(), { force: true });
    connections.fill(0);
  });
  afterEach(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
  });

  /** Starts the servers, which all end without an answer. */
  async function start(servers: Servers | undefined, options: OpenMcpOptions = {}) {
    const mcp = await openMcp({
      servers,
      cache: false,
      discover: false,
      retry: { maxRetries: 0 },
      limits: { connectTimeoutMs: 40_000 },
      log: () => {},
      ...options,
    });
    await mcp.close();
  }

  /** A server that says where it runs and what it was given, and then ends. */
  function witness(name: string) {
    const file = join(folder.path, `${name}.mjs`);
    const said = `${file}.said`;
    write(
      file,
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(said)}, JSON.stringify({ cwd: process.cwd(), env: process.env }));`,
    );
    return {
      file,
      said: () => JSON.parse(readFileSync(said, "utf8")) as { cwd: string; env: NodeJS.ProcessEnv },
    };
  }

  it("takes no code, package or setting from the folder if the user's configuration has it", async () => {
    write(join(folder.path, "own/mcp.json"), JSON.stringify({ mcpServers: LAUNCHED }));
    await start(undefined, { discover: { cwd: clone } });
    expect([ran(), connections[0]]).toEqual([[], 0]);
    if (has("npx")) expect(connections[1]).toBeGreaterThan(0);
  });

  it("takes nothing from there if the program passes it", async () => {
    await start(LAUNCHED);
    expect([ran(), connections[0]]).toEqual([[], 0]);
  });

  it("would have taken all of it, as it does if the folder is trusted", async () => {
    const asked: string[] = [];
    await start(LAUNCHED, {
      approval: {
        folders: (project) => {
          asked.push(project);
          return true;
        },
      },
    });
    expect(new Set(asked)).toEqual(new Set([clone]));
    expect(ran()).toContain("package");
    if (has("npx")) expect(connections[0]).toBeGreaterThan(0);
    if (has("Rscript")) expect(ran()).toContain("profile");
    if (has("php")) expect(ran()).toContain("include");
    if (has("python3")) expect(ran()).toEqual(expect.arrayContaining(["module", "library"]));
  });

  it("starts where its entry says", async () => {
    await start({ code: { command: process.execPath, args: ["-e", "require('planted-mcp')"], cwd: "." } });
    // Once more as an older server, because it ended without an answer.
    expect(new Set(ran())).toEqual(new Set(["package"]));
  });

  it("works in the folder if it is a program of its own", async () => {
    const { file, said } = witness("own-program");
    const server = { command: process.execPath, args: ["--no-warnings", file] };
    write(join(folder.path, "own/mcp.json"), JSON.stringify({ mcpServers: { server } }));
    await start(undefined, { discover: { cwd: clone } });
    expect(said().cwd).toBe(clone);
  });

  it("works in the folder if the program that passes it names a script there", async () => {
    const { file, said } = witness("script");
    symlinkSync(file, join(clone, "server.mjs"));
    await start({ server: { command: process.execPath, args: ["./server.mjs"] } });
    expect(said().cwd).toBe(clone);
  });

  it("is started in an empty folder that only its user can read", async () => {
    const { file, said } = witness("launched");
    await start({ server: { command: "env", args: [process.execPath, "--import", file, "/dev/null"] } });
    expect(said().cwd).toBe(realpathSync(join(folder.path, "own/state/launch")));
  });

  it("finds no interpreter in the folder, whatever PATH a script of the folder has left", async () => {
    vi.stubEnv("PATH", `${join(clone, "node_modules/.bin")}:${process.env.PATH}`);
    const file = join(folder.path, "by-interpreter");
    write(file, "#!/usr/bin/env interpreter\n", 0o755);
    await start({ server: { command: file } });
    expect(ran()).toEqual([]);
    await start({ server: { command: file } }, { approval: { folders: () => true } });
    expect(new Set(ran())).toEqual(new Set(["PATH"]));
  });

  it("gets no settings that a script of the folder has left, even with the whole environment", async () => {
    for (const name of ["npm_lifecycle_event", "INIT_CWD", "npm_config_registry", "NODE_PATH"])
      vi.stubEnv(name, clone);
    vi.stubEnv("ORDINARY", "yes");
    const { file, said } = witness("inheriting");
    await start({ server: { command: process.execPath, args: [file] } }, { inheritEnv: true });
    const { env } = said();
    expect(env.ORDINARY).toBe("yes");
    expect(Object.values(env)).not.toContain(clone);
  });
});
