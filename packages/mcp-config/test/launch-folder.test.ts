import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, parse } from "node:path";
import type { DefinitionScope } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveStdio } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const before = process.cwd();
const temporaryFolder = useTemporaryFolder();
let folder: string;
const file = (name: string) => `${folder}/${name}`;

beforeEach(async () => {
  folder = realpathSync(await temporaryFolder());
  for (const name of ["home", "project/.git", "project/packages/x"])
    mkdirSync(file(name), { recursive: true });
  vi.stubEnv("HOME", file("home"));
  process.chdir(file("project/packages/x"));
});

afterEach(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
});

const npx = { command: "npx", args: ["-y", "pkg@1.0.0"] };

function place(scope: DefinitionScope) {
  return { scope, file: file("elsewhere/mcp.json") };
}

describe.runIf(process.platform !== "win32")("where npx starts", () => {
  test.each(["explicit", "managed", "local", "user", "extension"] as const)(
    "in scope %s it is the given folder, which is made for its user alone",
    async (scope) => {
      const launchFolder = file("state/launch");
      const { cwd } = await resolveStdio({ ...npx, definedIn: place(scope) }, { launchFolder });
      expect(cwd).toBe(launchFolder);
      expect(statSync(launchFolder).mode & 0o777).toBe(0o700);
    },
  );

  test("without a given folder it is the home", async () => {
    expect((await resolveStdio({ ...npx, definedIn: place("user") })).cwd).toBe(file("home"));
  });

  test("a project's own entry starts in its project, whatever the folder of this process", async () => {
    const { cwd } = await resolveStdio(
      { ...npx, definedIn: place("project") },
      { launchFolder: file("launch") },
    );
    expect(cwd).toBe(file("elsewhere"));
  });

  test("what a script runner of the folder has set does not reach its package manager", async () => {
    const registry = { npm_config_registry: "https://registry.example" };
    const inherited = async (env: object, inheritEnv?: readonly string[]) =>
      (await resolveStdio({ ...npx, definedIn: place("user") }, { env: { ...registry, ...env }, inheritEnv }))
        .env;
    expect(await inherited({})).toMatchObject(registry);
    expect(await inherited({ npm_lifecycle_event: "start" })).toEqual({});
    expect(await inherited({ npm_lifecycle_event: "start" }, ["npm_config_registry"])).toEqual(registry);
  });

  test("an entry starts in the folder that it names", async () => {
    const written = { ...npx, definedIn: place("user"), cwd: file("project") };
    expect((await resolveStdio(written)).cwd).toBe(file("project"));
  });

  test("a command in the folder starts there, because its entry is meant for it", async () => {
    const written = { ...npx, command: file("project/.venv/bin/npx"), definedIn: place("user") };
    expect((await resolveStdio(written)).cwd).toBeUndefined();
  });

  test("a variable may name the program", async () => {
    const written = { ...npx, command: "${RUNNER}", definedIn: place("user") };
    const { cwd } = await resolveStdio(written, { env: { RUNNER: "/usr/bin/npx" } });
    expect(cwd).toBe(file("home"));
  });

  test.each([true, false])("trust is asked about the project's root, and %s decides", async (answer) => {
    const asked: string[] = [];
    const trust = async (root: string) => {
      asked.push(root);
      return answer;
    };
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { trust });
    expect(asked).toEqual([file("project")]);
    expect(cwd).toBe(answer ? undefined : file("home"));
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("unknown");
      },
    ],
    ["answers something else", () => "yes" as unknown as boolean],
  ])("a trust function that %s trusts nothing", async (_what, trust) => {
    expect((await resolveStdio({ ...npx, definedIn: place("user") }, { trust })).cwd).toBe(file("home"));
  });

  test("a given folder inside the project is not used, also through a link", async () => {
    mkdirSync(file("project/own"));
    symlinkSync(file("project/own"), file("link"));
    for (const launchFolder of [file("project/own"), file("link")]) {
      const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder });
      expect(cwd).toBe(file("home"));
    }
  });

  test("a folder that cannot be made is not used, nor a home that does not exist", async () => {
    vi.stubEnv("HOME", file("missing"));
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder: "/dev/null/x" });
    expect(cwd).toBe(parse(before).root);
  });

  test("a home inside the project is not used", async () => {
    mkdirSync(file("project/home"));
    vi.stubEnv("HOME", file("project/home"));
    const options = { launchFolder: file("project/home/launch") };
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, options);
    expect(cwd).toBe(parse(before).root);
  });

  test.each(["home", "."])("in the user's own folder %j, a folder in the home is used", async (name) => {
    process.chdir(file(name));
    const launchFolder = file("home/launch");
    const { cwd } = await resolveStdio({ ...npx, definedIn: place("user") }, { launchFolder });
    expect(cwd).toBe(launchFolder);
  });

  test.each(["user", "explicit"] as const)(
    "in scope %s the PATH that it gets has nothing of the project, even if its entry adds to it",
    async (scope) => {
      const env = { PATH: `${file("project/bin")}:/usr/bin:${file("project-2/bin")}` };
      const resolved = await resolveStdio({ ...npx, definedIn: place(scope) }, { env });
      expect(resolved.env.PATH).toBe(`/usr/bin:${file("project-2/bin")}`);
      const added = { ...npx, definedIn: place(scope), env: { PATH: "/opt/bin:${PATH}" } };
      expect((await resolveStdio(added, { env })).env.PATH).toBe(
        `/opt/bin:/usr/bin:${file("project-2/bin")}`,
      );
      const ofProject = await resolveStdio({ ...npx, definedIn: place("project") }, { env });
      expect(ofProject.env.PATH).toBe(env.PATH);
    },
  );

  test("commands in place of values run there, too", async () => {
    const options = { runCommands: true, launchFolder: file("launch"), env: { PATH: process.env.PATH } };
    const written = {
      definedIn: { scope: "explicit", host: "omp" } as const,
      command: "x",
      env: { WHERE: "!pwd" },
    };
    const { env } = await resolveStdio(written, options);
    expect(env.WHERE).toBe(file("launch"));
  });
});

describe.runIf(process.platform !== "win32")("a program with a name of its own", () => {
  const bin = () => file("bin");
  function put(name: string, text: string): string {
    mkdirSync(dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text, { mode: 0o755 });
    return file(name);
  }
  /** Where the program starts by its name, by its path, and behind a wrapper. */
  async function folders(name: string, args: readonly string[] = [], path = bin()) {
    const env = { PATH: path };
    const lines = [
      { command: name, args },
      { command: `${path}/${name}`, args },
      { command: "nice", args: [name, ...args] },
    ];
    const started = lines.map((line) => resolveStdio({ ...line, definedIn: place("user") }, { env }));
    return new Set((await Promise.all(started)).map(({ cwd }) => cwd));
  }
  const neutral = () => new Set([file("home")]);
  const SERVER = "#!/usr/bin/env node\n";

  test.each(["asdf/shims/node", "mise/shims/my-server", ".pyenv/shims/python3", ".proto/shims/npm-server"])(
    "starts elsewhere if a version manager stands in for it: %s",
    async (name) => {
      const program = put(name, "#!/usr/bin/env bash\nexec some-manager exec\n");
      const [, own = ""] = /([^/]+)$/.exec(name) ?? [];
      expect(await folders(own, ["/abs/server.js"], dirname(program))).toEqual(neutral());
    },
  );

  test.each([
    ["rust-analyzer", ".cargo/bin/rustup"],
    ["my-server", ".volta/bin/volta-shim"],
    ["my-npx", "lib/node_modules/npm/bin/npx-cli.js"],
    ["my-pm", "lib/node_modules/corepack/dist/pnpm.js"],
  ])("starts elsewhere if it is a link to a launcher: %s", async (name, target) => {
    mkdirSync(bin());
    symlinkSync(put(target, "\u007fELF"), `${bin()}/${name}`);
    expect(await folders(name)).toEqual(neutral());
  });

  test.each([
    "#!/usr/bin/env bun\n",
    "#!/usr/bin/env -S uv run --script\n",
    "#!/usr/bin/env -S npx -y tsx\n",
    "#!/usr/bin/env -S node --import tsx\n",
    "#!/usr/bin/env -S deno run -A\n",
    "#!/usr/local/bin/tsx\n",
    '#!/bin/sh\nexec npx -y server@1.0.0 "$@"\n',
    '#!/bin/sh\n# Starts the server.\ncd /tmp && X=1 "npx" server\n',
    "#!/bin/bash\nif true; then exec uvx server; fi\n",
    "#!/bin/sh\nexec python3 -m server\n",
    "#!/bin/sh\nexec env X=1 pipx run server\n",
    "#!/bin/sh\nexec deno run --allow-all 'npm:server' \"$@\"\n",
  ])("starts elsewhere if its first lines are %j", async (text) => {
    put("bin/my-server", text);
    expect(await folders("my-server")).toEqual(neutral());
  });

  test("starts elsewhere if it is a script that starts a link to a launcher", async () => {
    put("bin/my-server", '#!/bin/sh\nset -e\nexec rust-analyzer "$@"\n');
    symlinkSync(put(".cargo/bin/rustup", ""), `${bin()}/rust-analyzer`);
    expect(await folders("my-server")).toEqual(neutral());
  });

  test("starts elsewhere if its interpreter is a version manager's", async () => {
    put(".asdf/shims/node", "#!/bin/sh\n");
    put("bin/my-server", SERVER);
    const env = { PATH: `${bin()}:${file(".asdf/shims")}` };
    for (const line of [
      { command: "my-server" },
      { command: "node", args: [file("bin/my-server")] },
      { command: "env", args: ["X=1", "node", "/abs/server.js"] },
    ]) {
      const { cwd } = await resolveStdio({ ...line, definedIn: place("user") }, { env });
      expect(cwd).toBe(file("home"));
    }
  });

  test.each([
    SERVER,
    "#!/usr/bin/python3 -sP\n",
    '#!/bin/sh\n# not npx\nexec node  "$basedir/npx/cli.js" "$@"\n',
    "#!/bin/sh\necho 'no npx here' >&2\nexec /opt/server/bin/server --root npx\n",
    "\u007fELF npx",
  ])("works in the folder if its first lines are %j", async (text) => {
    put("bin/my-server", text);
    expect(await folders("my-server", ["npx", "."])).toEqual(new Set([undefined, file("home")]));
  });

  test("works in the folder if its entry names a script there for a version manager's interpreter", async () => {
    put(".asdf/shims/node", "#!/bin/sh\n");
    const line = { command: "node", args: ["./server.js"], definedIn: place("explicit") };
    expect((await resolveStdio(line, { env: { PATH: file(".asdf/shims") } })).cwd).toBeUndefined();
  });

  test("is not read for ever if it is a script that starts itself", async () => {
    put("bin/my-server", `#!${bin()}/my-server\n`);
    expect(await folders("my-server")).toEqual(new Set([undefined]));
  });
});

describe("a server that the user keeps for one project", () => {
  const definedIn = {
    scope: "local",
    host: "claude-code",
    file: "/home/u/.claude.json",
    root: "/work/app",
  } as const;
  const run = (entry: object, launchFolder?: string) =>
    resolveStdio({ command: "node", ...entry, definedIn } as never, { env: {}, launchFolder });

  test("runs there, whatever the folder of this process", async () => {
    expect((await run({ args: ["server.mjs"] })).cwd).toBe("/work/app");
    expect((await run({ args: ["server.mjs"], cwd: "sub" })).cwd).toBe("/work/app/sub");
    expect(await run({ command: "./bin/x" })).toMatchObject({ command: "/work/app/bin/x", cwd: "/work/app" });
    expect((await run({ env: { A: "${CLAUDE_PROJECT_DIR}" } })).env).toMatchObject({ A: "/work/app" });
  });

  test("takes no packages from there", async () => {
    expect((await run(npx, file("launch"))).cwd).toBe(file("launch"));
  });
});
