import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { checkOptions, McpError, type OptionKind, optionKinds } from "@jackfield/mcp-core";
import { checkAuthorizationUrl } from "./authorization-url.ts";

/** A program still running after this time counts as successful: some run for as long as the browser. */
const SETTLED_AFTER_MS = 3_000;

/** Options of `openInBrowser`. */
export interface BrowserOpenerOptions {
  /** The program and the arguments that precede the URL. Default: the platform's opener. */
  readonly command?: readonly [program: string, ...args: string[]] | undefined;
  readonly platform?: NodeJS.Platform | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

const OPTIONS: Record<keyof BrowserOpenerOptions, OptionKind> = {
  command: optionKinds.texts,
  platform: optionKinds.text,
  env: optionKinds.record,
};

/**
 * Opens a URL in the user's browser. This package never calls it by itself; a host passes it as `authorize`. The URL is checked again
 * and passed as one argument, without a shell. It begins with its scheme, so no program takes it for an option.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if the URL may not be opened; `MCP_COMMAND_NOT_FOUND` if the program is missing or fails;
 * `MCP_CONFIG_INVALID` for an option that does not exist or is of another type.
 */
export async function openInBrowser(url: URL, options: BrowserOpenerOptions = {}): Promise<void> {
  checkOptions(options, OPTIONS);
  const { href } = checkAuthorizationUrl(url);
  const { platform = process.platform, env = process.env } = options;
  const [program, ...args] = options.command ?? browserCommand(platform, env);
  const child = spawn(program, [...args, href], {
    env,
    shell: false,
    stdio: "ignore",
    detached: true,
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.on("error", () => {}); // later failures are visible to the user
      child.unref();
      act();
    };
    const timer = setTimeout(() => settle(resolve), SETTLED_AFTER_MS);
    child.once("error", (cause) => settle(() => reject(cannotOpen(program, cause))));
    child.once("exit", (code) => settle(() => (code === 0 ? resolve() : reject(cannotOpen(program)))));
  });
}

/**
 * The platform's command for opening a URL. The path is absolute where the program has a fixed place, because Windows looks for a
 * bare name in the working directory first, which may be an untrusted repository.
 */
export function browserCommand(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [program: string, ...args: string[]] {
  if (platform === "darwin") return ["/usr/bin/open"];
  if (platform !== "win32") return ["xdg-open"];
  // Unlike `start` and PowerShell, this does not parse the URL as a command line.
  const program = win32.join(env.SystemRoot ?? "C:\\Windows", "System32", "rundll32.exe");
  return [program, "url.dll,FileProtocolHandler"];
}

function cannotOpen(program: string, cause?: unknown): McpError {
  const message = `No browser could be opened with ${program}. Open the URL by hand.`;
  return new McpError("MCP_COMMAND_NOT_FOUND", message, { cause });
}
