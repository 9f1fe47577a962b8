import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { useLeakCheck } from "@jackfield/test-kit";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readArguments } from "../src/command-line/arguments.ts";
import { commandLine, everything, useTemporaryHome } from "./fixture.ts";

useLeakCheck();

const folder = useTemporaryHome();
const own = () => JSON.parse(readFileSync(folder.file("own/mcp.json"), "utf8")).mcpServers;
const project = () => JSON.parse(readFileSync(folder.file("project/.mcp.json"), "utf8")).mcpServers;
const jackfield = (...words: string[]) => {
  const at = words.indexOf("--");
  const [before, behind] = at === -1 ? [words, []] : [words.slice(0, at), words.slice(at)];
  return commandLine(...before, "--cwd", folder.file("project"), ...behind);
};
const program = () => ("command" in everything ? [everything.command, ...(everything.args ?? [])] : []);

beforeEach(() => {
  vi.stubEnv("HOME", folder.path);
  write("project/.git/HEAD", "");
});

function write(name: string, content: string): void {
  const file = folder.file(name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

describe("jackfield add", () => {
  it("writes to the own file, and the server is there at once", async () => {
    const added = await jackfield("add", "everything", "--", ...program());
    expect(added).toMatchObject({ exitCode: 0, stderr: "" });
    expect(added.stdout).toContain(`Added everything to ${folder.file("own/mcp.json")}.`);
    expect(added.stdout).toContain('Try it with "jackfield status everything');
    expect(await jackfield("call", "everything.echo", "message=hi")).toMatchObject({ stdout: "Echo: hi\n" });
  });

  it("writes to the project's file, and approves what it wrote", async () => {
    const added = await jackfield(
      "add",
      "a",
      "https://a.example/mcp",
      "--project",
      "--header",
      "X-A=b",
      "--json",
    );
    expect(JSON.parse(added.stdout)).toMatchObject({ approved: true, host: "jackfield", server: "a" });
    expect(project()).toEqual({ a: { type: "http", url: "https://a.example/mcp", headers: { "X-A": "b" } } });
    const { definitions } = JSON.parse((await jackfield("config", "list", "--json")).stdout);
    expect(definitions).toMatchObject([{ name: "a", approved: true }]);
    expect((await jackfield("disable", "a")).stdout).toContain("Switched off a in ");
    expect((await jackfield("enable", "a")).exitCode).toBe(0);
    const again = JSON.parse((await jackfield("config", "list", "--json")).stdout);
    expect(again.definitions).toMatchObject([{ name: "a", approved: true }]);
  });

  it("writes in the words of another host, and says who reads it", async () => {
    write(".cursor/mcp.json", "{}");
    const added = await jackfield(
      "add",
      "a",
      "--to",
      "cursor",
      "--env",
      "KEY",
      "--env",
      "B=1",
      "--",
      "x",
      "-y",
    );
    expect(added.stdout).toContain("Cursor reads it with its next start.");
    const { mcpServers } = JSON.parse(readFileSync(folder.file(".cursor/mcp.json"), "utf8"));
    expect(mcpServers).toEqual({
      a: { command: "x", args: ["-y"], env: { B: "1", KEY: "$" + "{env:KEY}" } },
    });
    expect(existsSync(folder.file("own/mcp.json"))).toBe(false);
  });

  it.each([
    ["no URL and no command", ["a"]],
    ["both", ["a", "https://a.example", "--", "x"]],
    ["a word that is no URL", ["a", "a.example/mcp"]],
    ["a header for a command", ["a", "--header", "A=b", "--", "x"]],
    ["a variable for a URL", ["a", "https://a.example", "--env", "A"]],
    ["--config", ["a", "https://a.example", "--config", "x.json"]],
  ])("refuses %s as wrong usage", async (_title, words) => {
    expect(await jackfield("add", ...words)).toMatchObject({ exitCode: 64, stdout: "" });
    expect(existsSync(folder.file("own/mcp.json"))).toBe(false);
  });

  it("refuses a name that is taken, a host that it does not know, and a broken file", async () => {
    await jackfield("add", "a", "https://a.example");
    const again = await jackfield("add", "a", "https://b.example", "--json");
    expect(JSON.parse(again.stdout).error.message).toContain("--force replaces it");
    expect(await jackfield("add", "a", "https://b.example", "--force")).toMatchObject({ exitCode: 0 });
    expect(own().a.url).toBe("https://b.example");
    expect(await jackfield("add", "b", "https://b.example", "--to", "zed")).toMatchObject({ exitCode: 1 });
    write("own/mcp.json", "{");
    expect((await jackfield("add", "b", "https://b.example")).stderr).toContain("mcp.json:1:2");
    expect(readFileSync(folder.file("own/mcp.json"), "utf8")).toBe("{");
  });
});

it("a name may have spaces, although a command in one word has them too", async () => {
  await jackfield("add", "My Server", "--", ...program());
  expect((await jackfield("status", "My Server")).stdout).toMatch(/^My Server +ready /m);
  const inOneWord = program().join(" ");
  expect((await jackfield("call", inOneWord, "echo", "message=hi")).stdout).toBe("Echo: hi\n");
  expect((await jackfield("call", "no-such-program x", "echo")).stderr).toContain(
    'No tool is called "no-such-program x"',
  );
});

describe("jackfield remove, enable and disable", () => {
  it("find the file that has the server, the project's first", async () => {
    await jackfield("add", "a", "https://own.example");
    await jackfield("add", "a", "https://project.example", "--project");
    expect((await jackfield("remove", "a")).stdout).toContain("project/.mcp.json");
    expect([own().a.url, project()]).toEqual(["https://own.example", {}]);
    await jackfield("disable", "a");
    expect(own().a.disabled).toBe(true);
    expect((await jackfield("disable", "a")).stdout).toContain("a was already off in ");
    expect((await jackfield("status")).stdout).toMatch(/^a +off /m);
    expect(await jackfield("remove", "a")).toMatchObject({ exitCode: 0 });
    expect(own()).toEqual({});
  });

  it("say where else a server stands, and what is like a name", async () => {
    write(".cursor/mcp.json", '{"mcpServers":{"mail":{"command":"x"}}}');
    const elsewhere = await jackfield("remove", "mail");
    expect(elsewhere.exitCode).toBe(1);
    expect(elsewhere.stderr).toContain('"jackfield remove mail --to cursor" changes it there.');
    expect(await jackfield("remove", "mail", "--to", "cursor")).toMatchObject({ exitCode: 0 });
    write(".cursor/mcp.json", '{"mcpServers":{"mail":{"command":"x"}}}');
    expect((await jackfield("disable", "maill")).stderr).toContain('did you mean "mail"?');
  });
});

describe("jackfield completion", () => {
  /** What bash would offer for a command line whose last word is at the cursor. */
  async function offered(...words: string[]): Promise<readonly string[]> {
    const { stdout } = await jackfield("completion", "words", "--", ...words);
    return stdout.split("\n").filter((word) => word !== "" && word.startsWith(words.at(-1) ?? ""));
  }

  it("offers commands, options, servers, tools, arguments and hosts, and starts nothing", async () => {
    await jackfield("add", "everything", "--", ...program());
    await jackfield("tools", "everything");
    expect(await offered("to")).toEqual(["tools"]);
    expect(await offered("tools", "--to")).toEqual(["--tokens"]);
    expect(await offered("status", "e")).toEqual(["everything"]);
    expect(await offered("call", "everything.ec")).toEqual(["everything.echo"]);
    expect(await offered("call", "everything.get-sum", "a=1", "")).toEqual(["b="]);
    expect(await offered("status", "--hosts", "cur")).toEqual(["cursor"]);
    expect(await offered("add", "--to", "cl")).toEqual(["claude-code", "claude-desktop"]);
    expect(await offered("cache", "")).toEqual(["list", "clear", "path"]);
    expect((await jackfield("completion", "tcsh")).exitCode).toBe(64);
  });

  it("is a script that bash runs", async () => {
    const { stdout: script } = await jackfield("completion", "bash");
    const stub = "jackfield() { printf '%s\\n' status stats tools; }";
    const line = `${stub}\n${script}\nCOMP_WORDS=(jackfield sta) COMP_CWORD=1; _jackfield; echo "\${COMPREPLY[@]}"`;
    const bash = spawn("bash", ["-c", line]);
    expect(await text(bash.stdout)).toBe("status stats\n");
  });

  const STUB = `#!/bin/sh\ncase "$*" in *config*) ;; *sum*) echo a=;; *) printf '%s\\n' status stats tools;; esac\n`;

  /** What a shell prints in a folder with the script, a file, and a program of that name that answers at once. */
  async function printed(shell: "fish" | "zsh", line: string): Promise<string> {
    const { stdout: script } = await jackfield("completion", shell);
    for (const name of ["script", "_jackfield"]) write(`shell/${name}`, script);
    write("shell/servers.json", "{}");
    write("shell/jackfield", STUB);
    chmodSync(folder.file("shell/jackfield"), 0o755);
    const cwd = folder.file("shell");
    const env = { ...process.env, HOME: cwd, PATH: `${cwd}:${process.env.PATH}` };
    const args = shell === "fish" ? ["--no-config", "-c", line] : ["-f", "-c", line];
    return (await text(spawn(shell, args, { cwd, env }).stdout)).trim();
  }

  it.skipIf(!isThere("fish"))("is a script that fish runs", async () => {
    const offered = (line: string) => printed("fish", `source script; complete -C '${line}'`);
    expect(await offered("jackfield st")).toBe("stats\nstatus");
    expect(await offered("jackfield call sum ")).toBe("a=");
    expect(await offered("jackfield config parse ser")).toBe("servers.json");
  });

  it.skipIf(!isThere("zsh"))("is a script that zsh runs, also from its path of functions", async () => {
    // Completion belongs to the line editor, so a zsh in a pseudo-terminal of another one is asked.
    const completed = (load: string, line: string, rest: string) =>
      printed(
        "zsh",
        `zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1='> '; ${load}; bindkey '^I' complete-word; echo REA''DY"
        zpty -r shell said '*READY*'
        zpty -w -n shell "${line}"$'\\t'
        zpty -r shell said '*${line}*${rest}*' && echo ${line}${rest}`,
      );
    const sourced = "autoload -Uz compinit; compinit -u -D; source ./script";
    const found = "fpath=(\\$PWD \\$fpath); autoload -Uz compinit; compinit -u -D";
    expect(await completed(sourced, "jackfield to", "ols")).toBe("jackfield tools");
    expect(await completed(found, "jackfield to", "ols")).toBe("jackfield tools");
    const files = await completed(sourced, "jackfield config parse ser", "vers.json");
    expect(files).toBe("jackfield config parse servers.json");
  });
});

function isThere(shell: string): boolean {
  if (spawnSync(shell, ["--version"]).status === 0) return true;
  process.stderr.write(`SKIPPED: completion in ${shell}, which is not installed.\n`);
  return false;
}

describe("jackfield logs and tap", () => {
  const server = () => ["--", ...program()];

  it("print standard error and log messages", async () => {
    const { exitCode, stdout } = await jackfield("logs", ...server());
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Starting default (STDIO) server...");
    expect(stdout).not.toContain("jsonrpc");
    const json = await jackfield("logs", "--json", ...server());
    expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toMatchObject({ from: "stderr" });
  });

  it("print the messages in both directions, without the entry's credentials", async () => {
    const secret = "sk-live-4eC39HqLyjWDarjtT1zdp7dc";
    const script = `
      console.error("key", process.env.API_TOKEN);
      require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: process.env.API_TOKEN, version: "1" }, tools: [] };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });`;
    const entry = { command: process.execPath, args: ["-e", script], env: { API_TOKEN: secret } };
    write("own/mcp.json", JSON.stringify({ mcpServers: { secretive: entry } }));
    const { exitCode, stdout } = await jackfield("tap", "secretive");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^→ \{"jsonrpc":"2.0","id":\d,"method":"initialize"/m);
    expect(stdout).toMatch(/^← .*"protocolVersion":"2025-11-25"/m);
    expect(stdout).toContain("! key [redacted]\n");
    expect(stdout).not.toContain(secret);
    expect((await jackfield("tap", "secretiv")).stderr).toContain('did you mean "secretive"?');
  });

  it("end with the server that they follow, and tell why one does not start", async () => {
    const ends = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
      if (method === "initialize") console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
      else setTimeout(() => { console.error("bye"); process.exit(3); }, 300);
    });`;
    const followed = await jackfield("logs", "-f", "--", process.execPath, "-e", ends);
    expect(followed.stdout).toContain("bye\n");
    const gone = await jackfield(
      "logs",
      "--",
      process.execPath,
      "-e",
      'console.error("no key"); process.exit(1)',
    );
    expect(gone).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("no key\n") });
  });
});

describe("docs/guides/in-your-shell.md", () => {
  const page = readFileSync(new URL("../../../docs/guides/in-your-shell.md", import.meta.url), "utf8");
  const [run = [], shown = []] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) =>
    block.trim().split("\n"),
  );
  /** The words of a line, as a shell reads them, without its comment and redirection. */
  const wordsOf = (line: string) => {
    const [typed = ""] = line.split(/\s+(?:#|> )/);
    return [...typed.matchAll(/(?:[^\s']|'[^']*')+/g)].slice(1).map(([word]) => word.replaceAll("'", ""));
  };

  it("has commands that work in this order", async () => {
    expect(run.length).toBeGreaterThan(10);
    for (const line of run) {
      const words = wordsOf(line);
      const at = words.indexOf("npx");
      const result = await jackfield(...(at === -1 ? words : [...words.slice(0, at), ...program()]));
      expect({ line, exitCode: result.exitCode, stderr: result.stderr }).toEqual({
        line,
        exitCode: 0,
        stderr: "",
      });
      expect(result.stdout).not.toBe("");
    }
  });

  it("shows others that are understood", async () => {
    for (const line of shown) expect(await readArguments(wordsOf(line))).toHaveProperty("command");
  });
});

it("an older Node is told what is needed in one line", async () => {
  const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const bin = new URL("../bin/jackfield.js", import.meta.url);
  const child = spawn(process.execPath, [
    "--import",
    `data:text/javascript,${older}`,
    bin.pathname,
    "status",
  ]);
  const told = await text(child.stderr);
  expect(told).toMatch(
    /^jackfield needs Node\.js .* or newer, and this is 20\.20\.2 \(.*\); install a newer one\.\n$/,
  );
  expect(told).toContain(` ${engines.node.replace(">=", "")} `);
});
