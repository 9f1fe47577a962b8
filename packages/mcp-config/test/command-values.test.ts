import { once } from "node:events";
import { readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DefinitionScope, ServerDefinition } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createServerResolver } from "../src/index.ts";
import { type CommandRun, CommandValues } from "../src/resolve/commands.ts";
import { leadingCommand } from "../src/resolve/variable-syntax.ts";
import { NO_VARIABLES } from "../src/resolve/variables.ts";
import { refused, signal } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const folderWith = useTemporaryFolder();
const env = process.env;

useLeakCheck();

afterEach(() => {
  vi.useRealTimers();
});

const dialect = { ...NO_VARIABLES, syntaxes: [leadingCommand] };

/** The values that commands give a server. */
async function readValues(
  values: CommandValues,
  commands: readonly string[],
  { server = "s", ...run }: CommandRun & { readonly server?: string },
) {
  const args = commands.map((command) => `!${command}`);
  const definedIn = { scope: "explicit" } as const;
  const definition = { name: server, transport: "stdio", command: "x", args, definedIn } as const;
  return [...(await values.outputsFor(definition, dialect, run)).values()];
}

async function readValue(
  values: CommandValues,
  command: string,
  run: CommandRun & { readonly server?: string },
) {
  const [output] = await readValues(values, [command], run);
  return output;
}

/** A command that counts its runs and then does what `answer` says. */
async function createCountedCommand(answer: string) {
  const folder = await folderWith({});
  const runs = () => {
    try {
      return readFileSync(join(folder, "runs"), "utf8").length;
    } catch {
      return 0;
    }
  };
  return { command: `printf x >> runs; ${answer}`, at: { env, cwd: folder, signal }, runs };
}

describe.skipIf(process.platform === "win32")("a command's output", () => {
  test("is trimmed, cached and shared by concurrent callers", async () => {
    const { command, at, runs } = await createCountedCommand("echo '  value '");
    const values = new CommandValues();
    expect(await Promise.all([readValue(values, command, at), readValue(values, command, at)])).toEqual([
      "value",
      "value",
    ]);
    expect(await readValue(values, command, at)).toBe("value");
    expect(runs()).toBe(1);
  });

  test.each([
    ["a failing command", "echo value; exit 1"],
    ["a command that prints nothing", "true"],
    ["a command that prints endlessly", "yes"],
    ["a missing command", "/nowhere/command"],
  ])("is undefined for %s, which is run twice and then not again for 30 seconds", async (_what, answer) => {
    const { command, at, runs } = await createCountedCommand(answer);
    vi.useFakeTimers({ toFake: ["performance"] });
    const values = new CommandValues();
    expect(await readValue(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
    vi.advanceTimersByTime(29_000);
    expect(await readValue(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
    vi.advanceTimersByTime(2_000);
    expect(await readValue(values, command, at)).toBeUndefined();
    expect(runs()).toBe(3);
  });

  test("is undefined for a command that times out, and no process is left", async () => {
    const { command, at, runs } = await createCountedCommand("sleep 600 & sleep 600; echo value");
    const values = new CommandValues({ timeoutMs: 300 });
    expect(await readValue(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
  });

  test("is awaited with a timeout larger than a timer can count", async () => {
    const at = { env, cwd: await folderWith({}), signal };
    const values = new CommandValues({ timeoutMs: 2 ** 31 });
    expect(await readValue(values, "sleep 0.2; echo value", at)).toBe("value");
  });

  test("[A9] that the server rejected is not given again, even if the command prints it again", async () => {
    const { command, at, runs } = await createCountedCommand("echo token");
    const values = new CommandValues({ failureBackoffMs: 0 });
    expect(await readValue(values, command, at)).toBe("token");
    expect(await readValue(values, command, { ...at, rejected: true })).toBeUndefined();
    expect(await readValue(values, command, at)).toBeUndefined();
    expect(runs()).toBe(3);
  });

  test("is renewed after a rejection if the command prints another value", async () => {
    const folder = await folderWith({});
    const at = { env, cwd: folder, signal };
    const values = new CommandValues();
    const command = "printf x >> runs; wc -c < runs";
    expect(await readValue(values, command, at)).toBe("1");
    expect(await readValue(values, command, at)).toBe("1");
    expect(await readValue(values, command, { ...at, rejected: true })).toBe("2");
    expect(await readValue(values, command, at)).toBe("2");
  });

  test("[A9] that is unchanged after a rejection is given only beside one that changed", async () => {
    const folder = await folderWith({ token: "first" });
    const run = { env, signal, cwd: folder };
    const commands = ["cat token", "echo workspace"];
    vi.useFakeTimers({ toFake: ["performance"] });
    const values = new CommandValues();
    expect(await readValues(values, commands, run)).toEqual(["first", "workspace"]);
    expect(await readValues(values, commands, { ...run, rejected: true })).toEqual([undefined, undefined]);
    writeFileSync(join(folder, "token"), "second");
    expect(await readValues(values, commands, { ...run, rejected: true })).toEqual([undefined, undefined]);
    vi.advanceTimersByTime(31_000);
    expect(await readValues(values, commands, run)).toEqual(["second", "workspace"]);
    writeFileSync(join(folder, "token"), "third");
    expect(await readValues(values, commands, { ...run, rejected: true })).toEqual(["third", "workspace"]);
    writeFileSync(join(folder, "token"), "first");
    expect(await readValues(values, commands, { ...run, rejected: true })).toEqual([undefined, undefined]);
  });

  test("[A9] that was rejected for one server and user is still given to others", async () => {
    const { command, at } = await createCountedCommand("echo token");
    const values = new CommandValues();
    const others = [{ principal: "bob" }, { server: "other" }];
    for (const other of [{}, ...others])
      expect(await readValue(values, command, { ...at, ...other })).toBe("token");
    expect(await readValue(values, command, { ...at, rejected: true })).toBeUndefined();
    for (const other of others) expect(await readValue(values, command, { ...at, ...other })).toBe("token");
  });

  test("[A9] that was rejected in one folder is still given in another folder", async () => {
    const { command, at } = await createCountedCommand("echo token");
    const values = new CommandValues();
    expect(await readValue(values, command, at)).toBe("token");
    expect(await readValue(values, command, { ...at, rejected: true })).toBeUndefined();
    expect(await readValue(values, command, { ...at, cwd: await folderWith({}) })).toBe("token");
  });

  test("is no longer awaited after an abort, which does not count as a failure", async () => {
    const { command, at } = await createCountedCommand(
      "test -e ready && echo value || { touch ready; exec sleep 600; }",
    );
    const giveUp = new AbortController();
    const values = new CommandValues();
    using watcher = closing(watch(at.cwd));
    const waiting = readValue(values, command, { ...at, signal: giveUp.signal });
    while (!readable(join(at.cwd, "ready"))) await once(watcher.opened, "change");
    giveUp.abort();
    expect(await waiting).toBeUndefined();
    expect(await readValue(values, command, at)).toBe("value");
  });
});

function closing<T extends { close(): void }>(opened: T) {
  return { opened, [Symbol.dispose]: () => opened.close() };
}

function readable(file: string): boolean {
  try {
    return readFileSync(file) !== undefined;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === "win32")("a command in place of a value", () => {
  const definition = (scope: DefinitionScope, env: { [name: string]: string }): ServerDefinition => ({
    name: "s",
    definedIn: { scope, host: "omp", file: "/tmp/mcp.json" },
    transport: "stdio",
    command: "server",
    env,
  });
  const options = { env, isAdmitted: () => true };

  test("runs only with runCommands", async () => {
    const asked = createServerResolver({ ...options, runCommands: true });
    const resolved = await asked(definition("user", { TOKEN: "!printf from-command" }), { signal });
    expect(resolved).toMatchObject({ env: { TOKEN: "from-command" } });
    expect(resolved.secrets).toContain("from-command");
    const attempt = createServerResolver(options)(definition("user", { TOKEN: "!printf x" }), { signal });
    expect((await refused(attempt)).code).toBe("MCP_CONFIG_VARIABLE_MISSING");
  });

  test.each(["project", "extension"] as const)(
    "[threat T01] never runs for an entry of scope %s",
    async (scope) => {
      const folder = await folderWith({});
      const trace = join(folder, "trace");
      const resolve = createServerResolver({ ...options, runCommands: true });
      const error = await refused(resolve(definition(scope, { A: `!touch ${trace}; echo x` }), { signal }));
      expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(readable(trace)).toBe(false);
    },
  );

  test("[A8] that fails leaves its variable out instead of passing its text", async () => {
    const resolve = createServerResolver({ ...options, runCommands: true });
    const resolved = await resolve(definition("user", { A: "!false", B: "!printf b" }), { signal });
    expect(resolved).toMatchObject({ env: { B: "b" } });
    expect(resolved).not.toHaveProperty("env.A");
  });

  test("does not run in an argument, where its host knows no commands", async () => {
    const resolve = createServerResolver({ ...options, runCommands: true });
    const written = { ...definition("user", {}), args: ["!printf x"] };
    expect(await resolve(written, { signal })).toMatchObject({ args: ["!printf x"] });
  });
});
