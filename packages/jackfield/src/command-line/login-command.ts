import {
  createFileVault,
  createOAuth,
  type OAuth,
  openInBrowser,
  type ShowAuthorizationPage,
} from "@jackfield/mcp-auth";
import {
  createServerAdmission,
  createServerResolver,
  type DiscoveredServers,
  type DiscoverServersOptions,
  discoverServers,
  type ServerResolverOptions,
} from "@jackfield/mcp-config";
import {
  isMcpError,
  KnownCredentials,
  type Logger,
  McpError,
  ownCredentials,
  type ResolvedRemoteServer,
  type ServerDefinition,
  thrownText,
} from "@jackfield/mcp-core";
import { openApprovals } from "../approval-store.ts";
import { approveCommand, blockedReportOf } from "../blocked-servers.ts";
import { entryAuthorization } from "../entry-authorization.ts";
import { loginDirectory } from "../login-directory.ts";
import { rewordedError } from "../reworded-error.ts";
import type { CommandResult } from "./command-result.ts";
import { printableName } from "./lines.ts";
import { nextCommand } from "./next-command.ts";
import { shownUrl } from "./shown-url.ts";
import { printable, type Terminal } from "./terminal.ts";
import { whyUnused } from "./unused-server.ts";

export interface LoginCommandOptions
  extends Pick<DiscoverServersOptions, "cwd" | "files" | "hosts" | "servers" | "maxFileBytes"> {
  readonly name: string | undefined;
  /** As `openMcp` has them. */
  readonly inputs?: ServerResolverOptions["inputs"];
  readonly projectVariables?: ServerResolverOptions["projectVariables"];
  /** The catalog's directory, as `CacheCommandOptions` has it. */
  readonly cache: string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Prints problems with the configuration; they may explain a missing server. */
  readonly tellProblems: (found: DiscoveredServers) => void;
}

export interface LoginOptions extends LoginCommandOptions {
  /** Requested in addition to the scopes that the server and its entry name. */
  readonly scopes: readonly string[];
  /** Whether to open the browser, besides printing the URL. */
  readonly browser: boolean;
  readonly terminal: Terminal;
}

/**
 * Logs in to a server. Opens the login page in the browser, and always prints its URL on standard error, because a browser may be on
 * another machine.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN` for a name that no usable entry has, `MCP_CONFIG_INVALID` for an entry that is invalid or can
 * have no login, `MCP_APPROVAL_REQUIRED`, and what `OAuth.login` throws
 */
export async function login(options: LoginOptions): Promise<CommandResult> {
  const { scopes, signal } = options;
  const { definition, server, oauth, credentials } = await openAccount(options, "login");
  await using _ = oauth;
  const own = ownCredentials(server);
  if (own !== undefined) throw refusal(definition, PREFERRED_CREDENTIALS[own]);
  const name = server.name;
  const login = await oauth
    .login(server, { signal, scopes, authorize: showPage(options) })
    .catch((error: unknown) => Promise.reject(credentials.hideIn(withAdvice(error))));
  const { serverUrl, resource } = login;
  const shown = credentials.hideIn({
    ...login,
    serverUrl: shownUrl(serverUrl),
    resource: shownUrl(resource),
  });
  const duration = shown.isRefreshable
    ? "It is renewed automatically."
    : shown.expiresAt === undefined
      ? ""
      : `It expires at ${new Date(shown.expiresAt).toISOString()}.`;
  return {
    json: { name, loggedIn: true, ...shown },
    text: `Logged in to ${printableName(name)} at ${printable(shown.issuer)}. ${duration}`
      .trimEnd()
      .concat("\n"),
    exitCode: 0,
  };
}

/**
 * Removes the login to a server from this machine. Changes to its entry since matter little: it may be disabled, and its headers and
 * `oauth` settings may no longer resolve.
 *
 * @throws McpError as `login` does, but not for an entry with credentials of its own
 */
export async function logout(options: LoginCommandOptions): Promise<CommandResult> {
  const { server, oauth, credentials } = await openAccount(options, "logout");
  await using _ = oauth;
  const wasLoggedIn = await oauth.logout(server);
  const name = printableName(server.name);
  const serverUrl = credentials.hideIn(shownUrl(server.url));
  return {
    json: { name: server.name, loggedIn: false, wasLoggedIn, serverUrl },
    text: wasLoggedIn ? `Logged out of ${name}.\n` : `There was no login to ${name}.\n`,
    exitCode: 0,
  };
}

interface OpenedAccount {
  readonly definition: ServerDefinition;
  readonly server: ResolvedRemoteServer;
  readonly oauth: OAuth;
  /** Those that were filled into the entry. */
  readonly credentials: KnownCredentials;
}

async function openAccount(
  options: LoginCommandOptions,
  command: "login" | "logout",
): Promise<OpenedAccount> {
  const { cwd, signal, inputs, projectVariables } = options;
  const credentials = new KnownCredentials();
  const log = credentials.logger(options.log);
  const admission = createServerAdmission({ ledger: openApprovals(undefined, log) });
  const definition = await findDefinition(options, command, admission.admit);
  const isAdmitted = () => admission.isAdmitted(definition);
  const resolve = credentials.recording(createServerResolver({ cwd, inputs, projectVariables, isAdmitted }));
  const resolving = resolve(definition, { signal });
  const server = await (command === "login"
    ? resolving
    : resolving.catch(() => resolve(withoutHeaders(definition), { signal })));
  if (server.transport !== "http" && server.transport !== "sse") {
    throw refusal(definition, "is a local server; only remote ones have a login");
  }
  const oauth = createOAuth({
    vault: createFileVault({ directory: loginDirectory(), log }),
    settingsOf: () => entryAuthorization(definition, resolve, signal),
    log,
  });
  return { definition, server, oauth, credentials };
}

/** How the message ends if a connection failed below HTTP: with the system's code and no advice. */
const SYSTEM_CODE = / failed \(\w+\)\.$/;

function withAdvice(error: unknown): unknown {
  if (!isMcpError(error, "MCP_CONNECT_FAILED") || !SYSTEM_CODE.test(error.message)) return error;
  return rewordedError(error, `${error.message} Check that the server runs and that its address is right.`);
}

/** Credentials that are sent in place of a login, and how to use a login instead. */
const PREFERRED_CREDENTIALS = {
  header:
    "has an Authorization header in its entry, which is sent instead of a login; remove the header to log in",
  url: "has a user and a password in its URL, which are sent instead of a login; remove them from the URL to log in",
} as const;

/** A login is stored by its server's URL: logging out does not need the variables of its headers. */
function withoutHeaders(definition: ServerDefinition): ServerDefinition {
  if (definition.transport !== "http" && definition.transport !== "sse") return definition;
  const { headers: _, headersFromEnv: __, bearerTokenEnv: ___, ...rest } = definition;
  return rest;
}

async function findDefinition(
  {
    name,
    cwd,
    files,
    hosts,
    servers,
    maxFileBytes,
    cache,
    inputs,
    projectVariables,
    tellProblems,
  }: LoginCommandOptions,
  command: "login" | "logout",
  admit: NonNullable<DiscoverServersOptions["admit"]>,
): Promise<ServerDefinition> {
  const places = { configFiles: files, cwd, hosts, servers, cache, inputs, projectVariables };
  const listCommand = nextCommand("config list", places);
  if (name === undefined) {
    const message = `"login" and "logout" need the name of a server; "${listCommand}" shows them.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  }
  const found = await discoverServers({ cwd, files, hosts, servers, maxFileBytes, admit });
  const invalid = isUsable(found, name) ? undefined : found.problems.find(({ server }) => server === name);
  tellProblems({ ...found, problems: found.problems.filter((problem) => problem !== invalid) });
  if (invalid !== undefined) throw invalid.error;
  const definition = found.servers.find((server) => server.name === name);
  if (definition !== undefined) return definition;
  const blocked = found.blocked.find((server) => server.definition.name === name);
  if (command === "logout" && blocked !== undefined && blocked.by !== "approval") return blocked.definition;
  const unapproved = blocked?.by === "approval" ? blocked.definition : undefined;
  if (command === "logout" && blocked !== undefined && !unapproved) return blocked.definition;
  const message = unapproved
    ? `Server ${JSON.stringify(name)} comes from a project and is not approved; review it with: ${approveCommand([unapproved], { cwd, hosts })}`
    : blocked !== undefined
      ? await whyUnused(blockedReportOf(blocked), places)
      : `No server is called ${JSON.stringify(name)}; "${listCommand}" shows the servers.`;
  const code = unapproved ? "MCP_APPROVAL_REQUIRED" : "MCP_SERVER_UNKNOWN";
  throw new McpError(code, message, { server: name, phase: unapproved ? "approve" : "config" });
}

/** Whether the name belongs to an entry that is valid, whether it is in use or blocked. */
function isUsable({ servers, blocked }: DiscoveredServers, name: string): boolean {
  const definitions = [...servers, ...blocked.map(({ definition }) => definition)];
  return definitions.some((definition) => definition.name === name);
}

function refusal({ name, definedIn }: ServerDefinition, fact: string): McpError {
  const { file, line, pointer } = definedIn;
  const message = `Server ${JSON.stringify(name)} ${fact}.`;
  const location = { file, line, pointer };
  return new McpError("MCP_CONFIG_INVALID", message, { server: name, phase: "config", location });
}

/** Prints the URL before opening it: a user elsewhere, or without a browser here, can open it by hand. */
function showPage({ browser, terminal: { stderr } }: LoginOptions): ShowAuthorizationPage {
  return async (url, { server }) => {
    const where = browser ? "in the browser that opens, or here" : "here";
    stderr.write(`Log in to ${printableName(server)} ${where}:\n\n  ${printable(url.href)}\n\n`);
    if (!browser) return;
    await openInBrowser(url).catch((error: unknown) => {
      stderr.write(`warning: ${printable(isMcpError(error) ? error.message : thrownText(error))}\n`);
    });
  };
}
