import { resolve } from "node:path";
import {
  type CallMiddleware,
  type Logger,
  type McpEvents,
  type ToolListPolicy,
  toMcpError,
} from "@jackfield/mcp-core";
import type {
  CallApprovalOptions,
  InjectionFinding,
  LimitResultsOptions,
  McpLock,
  PinFinding,
  ToolPins,
} from "@jackfield/mcp-guard";
import { cleanTools, limitResults } from "@jackfield/mcp-guard/defaults";
import { fileSystem } from "./builtin-modules.ts";
import { type ClosingDeadline, waitForClosing } from "./closing-work.ts";

/** What stands between models and servers, beside what the caller puts there with `use` and `toolPolicies`. */
export interface GuardOptions {
  /** How much of a result a model reads; a program reads all of it. Default: 50,000 characters, images of 5 MiB. `false`: all of it. */
  readonly limits?: LimitResultsOptions | false | undefined;
  /** Takes terminal sequences and hidden characters out of what models read of tools, and refuses tools whose name holds any. Default `true`. */
  readonly cleanTools?: boolean | undefined;
  /** The same for the results that models read. Default `false`. */
  readonly cleanResults?: boolean | undefined;
  /**
   * Encloses every text that a model reads in markers that say whose it is. It is of use to a model that was told what the markers
   * mean: put `untrustedOutputNote` of `@jackfield/mcp-guard` into the system prompt. Default `false`.
   */
  readonly mark?: boolean | undefined;
  /**
   * Hears of texts that try to steer a model: in results, in errors, in tools, and in what servers say of themselves. Nothing is
   * scanned where nobody listens.
   */
  readonly found?: ((finding: InjectionFinding) => void) | undefined;
  /**
   * The file that `jackfield verify --write` made, relative to `cwd`: tools that are not as it has them are withheld and told to
   * the logger; so are those of other servers that change while the runtime is open. Default: none.
   */
  readonly lock?: string | undefined;
  /** Pins of your own, from `openToolPins` of `@jackfield/mcp-guard`. Default: none. */
  readonly pins?: ToolPins | undefined;
  /** One OpenTelemetry span a call, which the server is told of. Needs `@opentelemetry/api`. Default `false`. */
  readonly trace?: boolean | undefined;
}

/** What guards are made from. */
export interface GuardSettings {
  readonly guards?: GuardOptions | false | undefined;
  readonly approval?: CallApprovalOptions | undefined;
  readonly use?: readonly CallMiddleware[] | undefined;
  readonly toolPolicies?: readonly ToolListPolicy[] | undefined;
  readonly cwd?: string | undefined;
  readonly log: Logger;
  /** Lists a server's tools anew. */
  readonly refresh: (server: string) => Promise<void>;
}

/** What the manager is given. */
export interface Guards {
  readonly use: readonly CallMiddleware[];
  readonly toolPolicies: readonly ToolListPolicy[];
}

/** The guards, and what has to hear of the servers. */
export interface JoinedGuards extends Guards {
  /** Scans what a server says of itself, each time it has come up. */
  readonly statusChanged?: ((event: McpEvents["statusChanged"]) => void) | undefined;
  /**
   * Resolves when what was accepted is in its store, since a program that ended before that would find its own tools to be new; or
   * when closing has taken all its time, which is told to the logger: a store may be the caller's own.
   */
  saved(deadline: ClosingDeadline): Promise<void>;
}

/**
 * Joins the guards with what the caller has put between models and servers. Of calls, the caller's own come first, so that what they
 * make of the arguments is what has to be approved; then whatever may refuse; then what changes a result for a model, so
 * that a text is scanned whole, cleaned, cut and then enclosed; and next to the server the span. Of tools, what is pinned is
 * what is offered.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` for a lock file that cannot be read, `MCP_CONFIG_INVALID` for one that is none, and
 * for limits and rules that cannot be right.
 */
export async function createGuards({
  guards,
  approval,
  use = [],
  toolPolicies = [],
  ...settings
}: GuardSettings): Promise<JoinedGuards> {
  const options = guards === false ? NO_GUARDS : (guards ?? {});
  const { found, limits, mark, cleanResults, trace } = options;
  const isMore = [approval, options.lock, found].some(isPresent) || mark || cleanResults || trace;
  const more = isMore ? await loadGuards() : undefined;
  const asked = approval && more?.callApproval({ log: settings.log, ...approval });
  const pins = [await lockedPins(options.lock, settings), options.pins].filter(isPresent);
  return {
    use: [
      ...use,
      asked?.middleware,
      ...pins.map(({ middleware }) => middleware),
      mark === true ? more?.markResults() : undefined,
      limits === false ? undefined : limitResults(limits),
      cleanResults === true ? more?.cleanResults() : undefined,
      found && more?.scanResults({ found }),
      trace === true ? more?.traceCalls() : undefined,
    ].filter(isPresent),
    toolPolicies: [
      found && more?.scanTools({ found }),
      options.cleanTools === false ? undefined : cleanTools(),
      ...toolPolicies,
      ...pins.map(({ policy }) => policy),
      asked?.policy,
    ].filter(isPresent),
    statusChanged:
      found &&
      (({ snapshot: { name, status, instructions = "" } }) => {
        if (status === "ready")
          more?.scanText(instructions, { server: name, where: "instructions" }, { found });
      }),
    saved: async (deadline) => {
      if (pins.length === 0) return;
      await waitForClosing({
        work: () => Promise.all(pins.map((one) => one.saved())),
        deadline,
        onLate: (ms) => settings.log("warn", `what was accepted of the tools was not stored within ${ms} ms`),
      });
    },
  };
}

/** Guards that nobody asked for are not loaded. */
function loadGuards(): Promise<typeof import("@jackfield/mcp-guard")> {
  return import("@jackfield/mcp-guard");
}

const NO_GUARDS: GuardOptions = { limits: false, cleanTools: false };

/**
 * Reads a lock file.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read, `MCP_CONFIG_INVALID` if it is no lock.
 */
export async function readLock(file: string): Promise<McpLock> {
  const text = await fileSystem.promises.readFile(file, "utf8").catch((error: unknown) => {
    const message = `The lock file ${file} cannot be read; "jackfield verify --write" makes one.`;
    throw toMcpError(error, "MCP_CONFIG_NOT_FOUND", message, { phase: "config", location: { file } });
  });
  const { parseLock } = await loadGuards();
  return parseLock(text, { file });
}

async function lockedPins(
  file: string | undefined,
  { cwd = process.cwd(), log, refresh }: Pick<GuardSettings, "cwd" | "log" | "refresh">,
): Promise<ToolPins | undefined> {
  if (file === undefined) return undefined;
  const lock = await readLock(resolve(cwd, file));
  const guards = await loadGuards();
  return guards.openToolPins({ lock, log, refresh, found: (finding) => logDrift(finding, log, guards) });
}

function logDrift(
  { server, tool, state, changes }: PinFinding,
  log: Logger,
  { cleanText, formatChanges }: Awaited<ReturnType<typeof loadGuards>>,
): void {
  const message = `tool "${cleanText(tool)}" ${DRIFTS[state]} and is withheld; "jackfield verify" shows what is different`;
  log("warn", message, { server, tool, changes: formatChanges(changes, cleanText) });
}

const DRIFTS = { new: "was not there when its server was accepted", changed: "is not as it was accepted" };

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}
