import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { browserCommand, openInBrowser } from "../../src/callback/browser-opener.ts";

useLeakCheck();
afterEach(() => vi.useRealTimers());

const OPENER = fileURLToPath(new URL("./fixtures/recording-opener.cjs", import.meta.url));

/** A real program that records its arguments, and what it has recorded. */
function recordingOpener(exitCode?: string) {
  const directory = mkdtempSync(join(tmpdir(), "jackfield-opener-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "arguments.json");
  const env = { PATH: process.env.PATH, RECORD_FILE: file, ...(exitCode && { EXIT_CODE: exitCode }) };
  return {
    directory,
    options: { env, command: [process.execPath, OPENER] as const },
    hasRun: () => existsSync(file),
    received: (): string[] => JSON.parse(readFileSync(file, "utf8")).received,
    pid: (): number => JSON.parse(readFileSync(file, "utf8")).pid,
  };
}

test.each([
  "https://issuer.example/authorize?response_type=code&client_id=a&scope=b+c&state=d%20e",
  "https://issuer.example/$(touch${IFS}pwned)?q=$(calc)",
  "https://issuer.example/`touch pwned`?q=`calc`&r=$HOME&%PATH%",
  "https://issuer.example/?q=a&calc&b|calc;calc&&calc||calc",
  "https://issuer.example/?q=\"quoted\"&r='single'&s=\\back",
  "https://issuer.example/?q=<in>out^caret!bang(paren)[square]{brace}*~",
  "https://issuer.example/--help?-x=--version&-",
  "https://-issuer.example/-rf",
  "https://issuer.example/?q=%0acalc%0d%00%22%27",
  "https://issuer.example/ü/日本?q=ü",
  "http://127.0.0.1:1/-n?q=$(calc)",
])("[T26] the browser program gets the URL as its only argument: %s", async (written) => {
  const url = new URL(written.replaceAll(" ", "%20"));
  const opener = recordingOpener();
  await openInBrowser(url, opener.options);
  expect(opener.received()).toEqual([url.href]);
  expect(url.href).toMatch(/^https?:\/\//);
});

test.runIf(process.platform !== "win32")(
  "[T26] on Linux xdg-open opens the URL without a shell",
  async () => {
    const opener = recordingOpener();
    const script = `#!${process.execPath}\n${readFileSync(OPENER, "utf8")}`;
    writeFileSync(join(opener.directory, "xdg-open"), script, { mode: 0o755 });
    const env = {
      ...opener.options.env,
      PATH: [opener.directory, dirname(process.execPath)].join(delimiter),
    };
    const url = new URL("https://issuer.example/?q=$(calc)&x=`y`");
    await openInBrowser(url, { platform: "linux", env });
    expect(opener.received()).toEqual([url.href]);
  },
);

test.each([
  ["darwin", {}, ["/usr/bin/open"]],
  ["win32", { SystemRoot: "D:\\Win" }, ["D:\\Win\\System32\\rundll32.exe", "url.dll,FileProtocolHandler"]],
  ["win32", {}, ["C:\\Windows\\System32\\rundll32.exe", "url.dll,FileProtocolHandler"]],
] as const)("[T26] on %s the program is named by its absolute path: %o", (platform, env, command) => {
  expect(browserCommand(platform, env)).toEqual(command);
});

test.each([
  "javascript:alert(1)",
  "file:///etc/passwd",
  "http://issuer.example/",
  "https://user@issuer.example/",
])("[T25] a forbidden URL starts no program: %s", async (written) => {
  const opener = recordingOpener();
  await expect(openInBrowser(new URL(written), opener.options)).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
  });
  expect(opener.hasRun()).toBe(false);
});

test("a missing or failing browser program is MCP_COMMAND_NOT_FOUND", async () => {
  const url = new URL("https://issuer.example/?state=secret");
  const command = [join(tmpdir(), "no-such-browser")] as const;
  await expect(openInBrowser(url, { command })).rejects.toMatchObject({
    code: "MCP_COMMAND_NOT_FOUND",
    message: expect.stringMatching(/no-such-browser\. Open the URL by hand\.$/),
  });
  const opener = recordingOpener("3");
  await expect(openInBrowser(url, opener.options)).rejects.toMatchObject({ code: "MCP_COMMAND_NOT_FOUND" });
  expect(opener.received()).toEqual([url.href]);
});

test("a browser program that keeps running is not waited for", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const opener = recordingOpener("never");
  const opened = openInBrowser(new URL("https://issuer.example/"), opener.options);
  vi.advanceTimersByTime(3_000);
  await opened;
  vi.useRealTimers();
  const pid = await vi.waitFor(opener.pid);
  expect(process.kill(pid, "SIGKILL")).toBe(true);
});
