import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connect, failToConnect } from "../connecting.ts";
import { createRandom, randomArgument } from "../random-arguments.ts";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";

const CLOSE_ON_EXEC = 0o2000000;

/** The descriptors that this process itself inherited and passes on, which Node.js cannot prevent (proc(5), `fdinfo`). */
const INHERITABLE = process.platform === "linux" ? inheritableDescriptors() : [];

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A folder with programs by name; each leaves the file `canary` there if it runs. */
function folderWithCanaries(...names: string[]): { folder: string; canary: string } {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-command-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const canary = join(folder, "canary");
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${canary}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, canary };
}

/** A folder in which `name` is this Node.js, as an installed program would be. */
function folderWithNode(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-installed-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(process.execPath, join(folder, name));
  return folder;
}

/** The scripted server in a folder, started by another command. */
function startedAs(command: string, cwd: string, PATH: string, server = scriptedServer()): ScriptedServer {
  return { ...server, command, cwd, env: { PATH } };
}

describe("looking up a server's command", () => {
  test("[threat T18] runs the installed program, not those in the project that PATH names first", async () => {
    const { folder, canary } = folderWithCanaries("tool", "bin/tool", "node_modules/.bin/tool");
    const installed = folderWithNode("tool");
    const path = [".", "", "bin", folder, join(folder, "node_modules/.bin"), installed].join(":");
    const server = startedAs("tool", folder, path);
    await connect(server);
    expect(server.starts()).toHaveLength(1);
    expect(existsSync(canary)).toBe(false);
  });

  test.each([
    ["relative", "bin", /PATH entry "bin" has it but is skipped, because it is not an absolute path/],
    ["in the project", undefined, /has it but is skipped, because it is inside the working directory/],
  ])(
    "[threat T18] does not find a command in a PATH entry that is %s, and says why",
    async (_what, entry, reason) => {
      const { folder, canary } = folderWithCanaries("bin/tool");
      const path = `${entry ?? join(folder, "bin")}:/usr/bin`;
      const error = await failToConnect(startedAs("tool", folder, path));
      expect(error).toMatchObject({ code: "MCP_COMMAND_NOT_FOUND", phase: "spawn", retryable: false });
      expect(error.message).toMatch(reason);
      expect(error.message).toContain("Give the full path");
      expect(existsSync(canary)).toBe(false);
    },
  );

  test("[threat T18] skips a PATH entry that is a link into the project", async () => {
    const { folder, canary } = folderWithCanaries("bin/tool");
    const elsewhere = mkdtempSync(join(tmpdir(), "jackfield-link-"));
    atEnd(() => rmSync(elsewhere, { recursive: true, force: true }));
    symlinkSync(join(folder, "bin"), join(elsewhere, "bin"));
    const error = await failToConnect(startedAs("tool", folder, join(elsewhere, "bin")));
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(existsSync(canary)).toBe(false);
  });

  test("resolves a relative path against the server's working directory", async () => {
    const installed = folderWithNode("tool");
    const server = startedAs("./tool", installed, "");
    await connect(server);
    expect(server.starts()).toHaveLength(1);
  });

  test("searches the PATH in the server's env, and the host's PATH only without one", async () => {
    const installed = folderWithNode("only-there");
    vi.stubEnv("PATH", installed);
    const server = scriptedServer();
    await connect({ ...server, command: "only-there", env: {} });
    expect(server.starts()).toHaveLength(1);
    const error = await failToConnect({ ...server, command: "only-there", env: { PATH: "/nowhere" } });
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
  });
});

describe("a command is one executable", () => {
  test.each([
    "sh -c 'touch canary'",
    "touch canary",
    "sh -c touch${IFS}canary",
    "true; touch canary",
    "$(touch canary)",
    "`touch canary`",
    "sh -c 'touch ./canary'",
    "/bin/sh -c 'touch canary'",
  ])("[threat T20] %j is not found, and no part of it runs", async (command) => {
    const { folder, canary } = folderWithCanaries();
    const error = await failToConnect(startedAs(command, folder, "/usr/bin:/bin"));
    expect(error.code).toBe("MCP_COMMAND_NOT_FOUND");
    expect(existsSync(canary)).toBe(false);
  });

  test("[threat T20] a program with spaces and shell characters in its name is started", async () => {
    const installed = folderWithNode("my $(tool) & co");
    const server = startedAs("my $(tool) & co", "/", installed);
    await connect(server);
    expect(server.starts()).toHaveLength(1);
  });

  test("[threat T20] 600 generated argument lists arrive byte for byte", async () => {
    const random = createRandom(20);
    const pieces = [
      '"',
      "'",
      "`",
      "$",
      "$HOME",
      "$(id)",
      "${IFS}",
      "\\",
      "\n",
      "\r\n",
      "*",
      "?",
      "~",
      "!",
      "#",
      "&&",
      "|",
      ">x",
      "<x",
      "%PATH%",
      "^",
      "(",
      ")",
      "{a,b}",
      "[",
      "\x1b[31m",
      "\ufeff",
      "\u202e",
    ];
    for (let batch = 0; batch < 6; batch += 1) {
      const lists = Array.from({ length: 100 }, () =>
        Array.from({ length: 1 + Math.floor(random() * 6) }, () => randomArgument(random, pieces)),
      );
      expect(await argumentsSeen(lists.flat())).toEqual(lists.flat().map(bytesOf));
    }
  });
});

describe("a server process", () => {
  test("[threat T15] sees only the variables of its definition, none of the host's 500", async () => {
    for (let index = 0; index < 500; index += 1) vi.stubEnv(`JACKFIELD_PLANTED_${index}`, `secret ${index}`);
    const env = { PATH: "/usr/bin:/bin", HOME: "/home/ada", LANG: "C.UTF-8", DECLARED: "yes" };
    const server = scriptedServer(undefined, { env });
    await connect(server);
    expect(server.environment().sort()).toEqual(Object.keys(env).sort());
  });

  test.runIf(process.platform === "linux")(
    "[threat T17] inherits no open file or socket of the host",
    async () => {
      const { folder } = folderWithCanaries();
      const list = join(folder, "descriptors");
      const secret = join(folder, "secret");
      writeFileSync(secret, "credential");
      const descriptors = Array.from({ length: 20 }, () => openSync(secret, "r"));
      atEnd(() => descriptors.forEach((descriptor) => void closeSync(descriptor)));
      const listener = createServer().listen(0, "127.0.0.1");
      await once(listener, "listening");
      atEnd(() => once(listener.close(), "close"));
      const server = scriptedServer();
      // Lists what the process was started with, before Node.js opens files of its own.
      const script = 'find "/proc/$$/fd" -mindepth 1 -fprintf "$0" "%f\\n"; exec "$@"';
      const args = ["-c", script, list, server.command, ...server.args];
      await connect({ ...server, command: "/bin/sh", args });
      const opened = readFileSync(list, "utf8").trim().split("\n").map(Number);
      expect(opened.filter((descriptor) => !INHERITABLE.includes(descriptor)).sort()).toEqual([0, 1, 2]);
      expect(INHERITABLE.filter((descriptor) => descriptors.includes(descriptor))).toEqual([]);
    },
  );
});

function inheritableDescriptors(): number[] {
  const isKept = (descriptor: number) => {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(
        readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"),
      )?.[1];
      return (Number.parseInt(flags ?? "", 8) & CLOSE_ON_EXEC) === 0;
    } catch {
      return false;
    }
  };
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isKept(descriptor));
}

const bytesOf = (text: string) => Buffer.from(text).toString("hex");

/** The bytes of the arguments that a real child got, in hexadecimal. */
async function argumentsSeen(args: readonly string[]): Promise<string[]> {
  const server = scriptedServer((message, { answer }) => {
    if (message.method !== "tools/list") return false;
    const { argv } = process;
    answer({
      tools: [
        {
          name: "seen",
          inputSchema: { type: "object" },
          seen: argv.slice(5).map((arg) => Buffer.from(arg).toString("hex")),
        },
      ],
    });
    return true;
  });
  const session = await connect({ ...server, args: [...server.args, ...args] });
  const { items } = await session.list("tools", { signal: AbortSignal.timeout(30_000) });
  await session.close();
  return (items[0] as unknown as { seen: string[] }).seen;
}
