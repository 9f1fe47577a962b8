import { once } from "node:events";
import { readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DefinitionScope, ServerDefinition } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type CommandOffer, type CommandValues, createCommandValues } from "../src/command-values.ts";
import { createServerResolver } from "../src/index.ts";
import { refused, signal } from "./resolution.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const folderWith = useTemporaryFolder();
const env = process.env;

useLeakCheck();

afterEach(() => {
  vi.useRealTimers();
});

/** What one command prints for a server. */
async function printed(
  values: CommandValues,
  command: string,
  { cwd, ...offer }: Omit<CommandOffer, "server"> & Partial<CommandOffer> & { readonly cwd: string },
) {
  const [output] = await values.get([{ command, cwd }], { server: "s", ...offer });
  return output;
}

/** A command that writes down each run and answers with what `answer` says. */
async function countedCommand(answer: string) {
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

describe.skipIf(process.platform === "win32")("the output of a command", () => {
  test("is trimmed, remembered, and shared by those who ask at once", async () => {
    const { command, at, runs } = await countedCommand("echo '  value '");
    const values = createCommandValues();
    expect(await Promise.all([printed(values, command, at), printed(values, command, at)])).toEqual([
      "value",
      "value",
    ]);
    expect(await printed(values, command, at)).toBe("value");
    expect(runs()).toBe(1);
  });

  test.each([
    ["a command that fails", "echo value; exit 1"],
    ["one that prints nothing", "true"],
    ["one that prints without end", "yes"],
    ["one that is not there", "/nowhere/command"],
  ])("is none of %s; it is tried twice, and then not before 30 seconds are over", async (_what, answer) => {
    const { command, at, runs } = await countedCommand(answer);
    vi.useFakeTimers({ toFake: ["performance"] });
    const values = createCommandValues();
    expect(await printed(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
    vi.advanceTimersByTime(29_000);
    expect(await printed(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
    vi.advanceTimersByTime(2_000);
    expect(await printed(values, command, at)).toBeUndefined();
    expect(runs()).toBe(3);
  });

  test("is none of a command that takes too long, and nothing of it is left, as of no command here", async () => {
    const { command, at, runs } = await countedCommand("sleep 600 & sleep 600; echo value");
    const values = createCommandValues({ timeoutMs: 300 });
    expect(await printed(values, command, at)).toBeUndefined();
    expect(runs()).toBe(2);
  });

  test("is waited for if it may take longer than a timer can count", async () => {
    const at = { env, cwd: await folderWith({}), signal };
    const values = createCommandValues({ timeoutMs: 2 ** 31 });
    expect(await printed(values, "sleep 0.2; echo value", at)).toBe("value");
  });

  test("[A9] that a server refused is not given again, also if the command prints it again", async () => {
    const { command, at, runs } = await countedCommand("echo token");
    const values = createCommandValues({ failureBackoffMs: 0 });
    expect(await printed(values, command, at)).toBe("token");
    expect(await printed(values, command, { ...at, rejected: true })).toBeUndefined();
    expect(await printed(values, command, at)).toBeUndefined();
    expect(runs()).toBe(3);
  });

  test("is renewed after a refusal where the command prints another one", async () => {
    const folder = await folderWith({});
    const at = { env, cwd: folder, signal };
    const values = createCommandValues();
    const command = "printf x >> runs; wc -c < runs";
    expect(await printed(values, command, at)).toBe("1");
    expect(await printed(values, command, at)).toBe("1");
    expect(await printed(values, command, { ...at, rejected: true })).toBe("2");
    expect(await printed(values, command, at)).toBe("2");
  });

  test("[A9] that stays the same is given after a refusal beside one that changed, and neither if none did", async () => {
    const folder = await folderWith({ token: "first" });
    const offer = { env, signal, server: "s" };
    const commands = ["cat token", "echo workspace"].map((command) => ({ command, cwd: folder }));
    vi.useFakeTimers({ toFake: ["performance"] });
    const values = createCommandValues();
    expect(await values.get(commands, offer)).toEqual(["first", "workspace"]);
    expect(await values.get(commands, { ...offer, rejected: true })).toEqual([undefined, undefined]);
    writeFileSync(join(folder, "token"), "second");
    expect(await values.get(commands, { ...offer, rejected: true })).toEqual([undefined, undefined]);
    vi.advanceTimersByTime(31_000);
    expect(await values.get(commands, offer)).toEqual(["second", "workspace"]);
    writeFileSync(join(folder, "token"), "third");
    expect(await values.get(commands, { ...offer, rejected: true })).toEqual(["third", "workspace"]);
    writeFileSync(join(folder, "token"), "first");
    expect(await values.get(commands, { ...offer, rejected: true })).toEqual([undefined, undefined]);
  });

  test("[A9] that one server refused, as one user, is given to another server and for another user", async () => {
    const { command, at } = await countedCommand("echo token");
    const values = createCommandValues();
    const others = [{ principal: "bob" }, { server: "other" }];
    for (const other of [{}, ...others])
      expect(await printed(values, command, { ...at, ...other })).toBe("token");
    expect(await printed(values, command, { ...at, rejected: true })).toBeUndefined();
    for (const other of others) expect(await printed(values, command, { ...at, ...other })).toBe("token");
  });

  test("[A9] that a server refused of one folder's command is given where it is run in another folder", async () => {
    const { command, at } = await countedCommand("echo token");
    const values = createCommandValues();
    expect(await printed(values, command, at)).toBe("token");
    expect(await printed(values, command, { ...at, rejected: true })).toBeUndefined();
    expect(await printed(values, command, { ...at, cwd: await folderWith({}) })).toBe("token");
  });

  test("is not waited for by who gives up, and that says nothing about the command", async () => {
    const { command, at } = await countedCommand(
      "test -e ready && echo value || { touch ready; exec sleep 600; }",
    );
    const giveUp = new AbortController();
    const values = createCommandValues();
    using watcher = closing(watch(at.cwd));
    const waiting = printed(values, command, { ...at, signal: giveUp.signal });
    while (!readable(join(at.cwd, "ready"))) await once(watcher.opened, "change");
    giveUp.abort();
    expect(await waiting).toBeUndefined();
    expect(await printed(values, command, at)).toBe("value");
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

describe.skipIf(process.platform === "win32")("a command in the place of a value", () => {
  const definition = (scope: DefinitionScope, env: { [name: string]: string }): ServerDefinition => ({
    name: "s",
    definedIn: { scope, host: "omp", file: "/tmp/mcp.json" },
    transport: "stdio",
    command: "server",
    env,
  });
  const options = { env, isAdmitted: () => true };

  test("is run only if that was asked for", async () => {
    const asked = createServerResolver({ ...options, runCommands: true });
    const resolved = await asked(definition("user", { TOKEN: "!printf from-command" }), { signal });
    expect(resolved).toMatchObject({ env: { TOKEN: "from-command" } });
    expect(resolved.secrets).toContain("from-command");
    const attempt = createServerResolver(options)(definition("user", { TOKEN: "!printf x" }), { signal });
    expect((await refused(attempt)).code).toBe("MCP_CONFIG_VARIABLE_MISSING");
  });

  test.each(["project", "extension"] as const)(
    "[threat T01] is never run for an entry of scope %s",
    async (scope) => {
      const folder = await folderWith({});
      const trace = join(folder, "trace");
      const resolve = createServerResolver({ ...options, runCommands: true });
      const error = await refused(resolve(definition(scope, { A: `!touch ${trace}; echo x` }), { signal }));
      expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(readable(trace)).toBe(false);
    },
  );

  test("[A8] that fails leaves its variable out, and does not stand there as it is written", async () => {
    const resolve = createServerResolver({ ...options, runCommands: true });
    const resolved = await resolve(definition("user", { A: "!false", B: "!printf b" }), { signal });
    expect(resolved).toMatchObject({ env: { B: "b" } });
    expect(resolved).not.toHaveProperty("env.A");
  });

  test("is not run where its host knows no commands, as in an argument", async () => {
    const resolve = createServerResolver({ ...options, runCommands: true });
    const written = { ...definition("user", {}), args: ["!printf x"] };
    expect(await resolve(written, { signal })).toMatchObject({ args: ["!printf x"] });
  });
});
