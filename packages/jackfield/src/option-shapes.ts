import {
  checkOptions,
  isRecord,
  type OptionKind,
  optionChoice,
  optionEither,
  optionGroup,
  optionKinds,
  optionList,
  optionNumber,
  optionPort,
} from "@jackfield/mcp-core";
import type { GuardOptions } from "./guards.ts";
import type {
  ApprovalOptions,
  CacheOptions,
  ConnectOptions,
  DiscoverOptions,
  McpFilterOptions,
  OpenMcpOptions,
  ValueOptions,
} from "./open-mcp-options.ts";

/** A kind for each option: the type demands one for every new option. */
type KindsOf<T> = { readonly [K in keyof T]-?: OptionKind };

const { any, callable, flag, name, record, text, texts } = optionKinds;
const amount = optionNumber(0);
const no: OptionKind = { what: "false", fits: (value) => value === false };
const store = optionPort("a StateStore", ["get", "set", "delete", "keys"]);
const pins = optionPort("ToolPins", ["policy", "middleware", "saved"]);
const toolCache = optionPort("a ToolCache", ["getMany", "set", "markStale", "delete", "list", "close"]);

/** A malformed pattern would match nothing, without any error. */
const patterns = optionList("{ name }, { url } or { argv: [...] }", (pattern) => {
  const [[kind, value] = [], ...others] = isRecord(pattern) ? Object.entries(pattern) : [];
  if (others.length > 0) return false;
  return kind === "argv" ? texts.fits(value) : (kind === "name" || kind === "url") && text.fits(value);
});
/** A malformed filter would fail for each server and block all of them. */
const filters = optionList(
  "{ name, block }",
  (filter) => isRecord(filter) && text.fits(filter.name) && callable.fits(filter.block),
);
const uses = optionList("functions, or { middleware, policy }", (use) => {
  if (!isRecord(use)) return callable.fits(use);
  const { middleware, policy } = use;
  return [middleware, policy].some(callable.fits) && [middleware, policy].every(isMissingOr(callable));
});
const clientInfo: OptionKind = {
  what: "an object with a name and a version",
  fits: (value) => isRecord(value) && text.fits(value.name) && text.fits(value.version),
};

const DISCOVER: KindsOf<DiscoverOptions> = {
  cwd: text,
  hosts: any, // What is wrong with hosts is reported like a faulty file.
  project: flag,
  order: texts,
  home: text,
  env: record,
  maxFileBytes: amount,
};
const APPROVAL: KindsOf<ApprovalOptions> = {
  servers: {
    what: 'a function that is asked about a server (rules by server are "approval.calls.servers")',
    fits: callable.fits,
  },
  folders: callable,
  projectVariables: texts,
  calls: any, // `callApproval` says what is wrong with a rule.
  ask: callable,
  store,
};
const FILTERS: KindsOf<McpFilterOptions> = {
  disabledServers: texts,
  enabledServers: texts,
  allow: patterns,
  deny: patterns,
  exa: flag,
  exaApiKey: callable,
  browser: optionEither(flag, callable),
  more: filters,
};
const CACHE: KindsOf<CacheOptions> = { path: name, busyTimeoutMs: amount, maxBytes: amount };
const GUARDS: KindsOf<GuardOptions> = {
  limits: optionEither(
    optionGroup({
      maxResultChars: any,
      maxBinaryBytes: any,
      servers: {
        what: "an object of limits by server",
        fits: (value) => isRecord(value) && Object.values(value).every(isRecord),
      },
      store: optionPort("a ResultStore", ["save"]),
    }),
    no,
  ),
  cleanTools: flag,
  cleanResults: flag,
  mark: flag,
  found: callable,
  pins: optionEither(text, pins),
};
const VALUES: KindsOf<ValueOptions> = {
  missingVariable: optionChoice("fail", "empty", "literal", "host"),
  inputs: record,
  runCommands: optionEither(optionGroup({ timeoutMs: amount, failureBackoffMs: amount }), flag),
};
const extensions: OptionKind = {
  what: 'an object such as { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } }',
  fits: (value) => isRecord(value) && Object.values(value).every(isRecord),
};
const CONNECT: KindsOf<ConnectOptions> = { clientInfo, extensions };
const HTTP = {
  proxy: flag,
  tls: optionGroup({ ca: any, cert: any, key: any, passphrase: any }),
  fetch: callable,
};

/** What is `any` is checked by the manager. */
const OPTIONS: KindsOf<OpenMcpOptions> = {
  id: name,
  servers: any, // What is wrong with servers and files is reported like a faulty file.
  configFiles: any,
  cwd: text,
  discover: optionEither(optionGroup(DISCOVER), no),
  cache: optionEither(optionGroup(CACHE, "an object such as { path }"), toolCache, no),
  approval: optionGroup(APPROVAL),
  filters: optionGroup(FILTERS),
  startup: any,
  retry: any,
  limits: record,
  inheritEnv: optionEither(flag, texts),
  naming: any,
  guards: optionEither(optionGroup(GUARDS), no),
  use: uses,
  search: any,
  handlers: optionGroup({ elicit: callable, sample: callable, roots: callable }),
  auth: optionPort("an AuthPort", ["headers", "onChallenge"]),
  principal: any,
  http: optionEither(optionGroup(HTTP), callable),
  connect: optionEither(optionGroup(CONNECT, "an object such as { clientInfo }"), callable),
  resolve: optionEither(optionGroup(VALUES, "an object such as { missingVariable }"), callable),
  telemetry: flag,
  log: optionEither(callable, no),
  signal: optionPort("an AbortSignal", ["addEventListener", "removeEventListener", "throwIfAborted"]),
};

/** Names of earlier versions and of other programs. */
const RENAMED = {
  approve: '"approval.servers"',
  approvals: '"approval.store"',
  trust: '"approval.folders"',
  projectVariables: '"approval.projectVariables"',
  requiresApproval: '"approval.calls"',
  "approval.rule": '"approval.calls"',
  "guards.lock": '"guards.pins"',
  "guards.trace": '"telemetry"',
  toolPolicies: '"use", with { policy } in its list',
  clientInfo: '"connect.clientInfo"',
  missingVariable: '"resolve.missingVariable"',
  inputs: '"resolve.inputs"',
  runCommands: '"resolve.runCommands"',
  idleTimeoutMs: '"limits.idleTimeoutMs"',
  toolPollIntervalMs: '"limits.toolPollIntervalMs"',
  resourceUpdateQuietMs: '"limits.resourceUpdateQuietMs"',
  closeTimeoutMs: '"limits.closeTimeoutMs"',
  heartbeat: '"retry.heartbeat"',
};

/**
 * Checks options, which may come from untyped code. Errors in `servers` and `configFiles` are reported like those in other files.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid or unknown option; its value, which may be secret, is not in the message
 */
export function checkOpenOptions(options: unknown): void {
  checkOptions(options, OPTIONS, { renamed: RENAMED });
}

function isMissingOr({ fits }: OptionKind): (value: unknown) => boolean {
  return (value) => value === undefined || fits(value);
}
