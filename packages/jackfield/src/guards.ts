import { resolve } from "node:path";
import {
  type CallMiddleware,
  type Logger,
  type McpEvents,
  type ToolListPolicy,
  thrownText,
  toMcpError,
} from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type {
  InjectionFinding,
  LimitResultsOptions,
  McpLock,
  PinFinding,
  ToolPins,
} from "@jackfield/mcp-guard";
import { cleanTools, limitResults } from "@jackfield/mcp-guard/defaults";
import { type ClosingDeadline, waitForClosing } from "./closing-work.ts";
import type { OpenMcpOptions, ToolGuard } from "./open-mcp-options.ts";

/** Guards between models and servers, in addition to the caller's `use`. */
export interface GuardOptions {
  /**
   * Limits on what a model reads of a result; a program reads all of it. Default: 50,000 characters, images of 5 MiB. `false`: no limits.
   */
  readonly limits?: LimitResultsOptions | false | undefined;
  /**
   * Removes terminal sequences and hidden characters from the tool texts that models read, and refuses tools whose names contain any.
   * Default `true`.
   */
  readonly cleanTools?: boolean | undefined;
  /** The same for the results that models read. Default `false`. */
  readonly cleanResults?: boolean | undefined;
  /**
   * Encloses result texts that a model reads in markers that name their server and tool. The model has to know the markers: put
   * `untrustedOutputNote` of `@jackfield/mcp-guard` into the system prompt. Default `false`.
   */
  readonly mark?: boolean | undefined;
  /** Called for each text that tries to steer a model: in results, errors, tools and server instructions. Default: nothing is scanned. */
  readonly found?: ((finding: InjectionFinding) => void) | undefined;
  /**
   * Which tools are still the accepted ones: a lock file that `jackfield verify --write` wrote, relative to `cwd`, or pins of your own, from
   * `openToolPins` of `@jackfield/mcp-guard`. Tools that differ from the file are withheld and logged; so are tools of other servers that
   * change while the runtime is open. Default: none.
   */
  readonly pins?: string | ToolPins | undefined;
}

/** The options and ports of `createGuards`. */
export interface GuardSettings extends Pick<OpenMcpOptions, "guards" | "approval" | "use" | "cwd"> {
  readonly log: Logger;
  /** Lists a server's tools again. */
  readonly refresh: (server: string) => Promise<void>;
}

/** Middleware and policies for the manager. */
export interface Guards {
  readonly use: readonly CallMiddleware[];
  readonly toolPolicies: readonly ToolListPolicy[];
}

/** The guards, and their hooks into the runtime. */
export interface JoinedGuards extends Guards {
  /** Scans a server's instructions each time it becomes ready. */
  readonly statusChanged?: ((event: McpEvents["statusChanged"]) => void) | undefined;
  /**
   * Resolves when accepted tools have been stored, since otherwise the next run would find its own tools to be new; or at the deadline,
   * which is logged: the store may be the caller's own.
   */
  saved(deadline: ClosingDeadline): Promise<void>;
}

/**
 * Combines the guards with the caller's middleware and policies. Middleware, outermost first: the caller's own, so that approval sees the
 * arguments it produces; guards that may refuse; guards that change a result for a model, so that a text is scanned whole, then cleaned,
 * cut and enclosed. Policies: pins come after cleaning and the caller's own, so that they pin what is
 * offered.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` for a lock file that cannot be read, `MCP_CONFIG_INVALID` for an invalid one, and for invalid
 * limits and rules.
 */
export async function createGuards({
  guards,
  approval = {},
  use = [],
  ...settings
}: GuardSettings): Promise<JoinedGuards> {
  const options = guards === false ? NO_GUARDS : (guards ?? {});
  const { found, limits, mark, cleanResults, pins: accepted } = options;
  const { calls, ask, store } = approval;
  const asksForCalls = calls !== undefined || ask !== undefined;
  const isMore = asksForCalls || found !== undefined || mark || cleanResults;
  const more = isMore ? await loadGuards() : undefined;
  const asked = asksForCalls ? more?.callApproval({ calls, ask, store, log: settings.log }) : undefined;
  const pins = typeof accepted === "string" ? await lockedPins(accepted, settings) : accepted;
  const own = use.map((guard) => (typeof guard === "function" ? { middleware: guard } : guard));
  return {
    use: [
      ...own.map(({ middleware }) => middleware),
      asked?.middleware,
      pins?.middleware,
      mark === true ? more?.markResults() : undefined,
      limits === false ? undefined : limitResults(limits),
      cleanResults === true ? more?.cleanResults() : undefined,
      found && more?.scanResults({ found }),
    ].filter(isPresent),
    toolPolicies: [
      found && more?.scanTools({ found }),
      options.cleanTools === false ? undefined : cleanTools(),
      ...own.map(({ policy }: ToolGuard) => policy),
      pins?.policy,
      asked?.policy,
    ].filter(isPresent),
    statusChanged:
      found &&
      (({ snapshot: { name, status, instructions = "" } }) => {
        if (status === "ready")
          more?.scanText(instructions, { server: name, where: "instructions" }, { found });
      }),
    saved: async (deadline) => {
      if (pins === undefined) return;
      await waitForClosing({
        work: () => pins.saved(),
        deadline,
        onLate: (ms) => settings.log("warn", `The accepted tools were not stored within ${ms} ms.`),
      });
    },
  };
}

/** Loaded only if an optional guard is configured. */
function loadGuards(): Promise<typeof import("@jackfield/mcp-guard")> {
  return import("@jackfield/mcp-guard");
}

const NO_GUARDS: GuardOptions = { limits: false, cleanTools: false };

/**
 * Reads a lock file.
 *
 * @param writeCommand - the command that creates it
 * @throws McpError `MCP_CONFIG_NOT_FOUND` if it cannot be read, `MCP_CONFIG_INVALID` if it is not a lock file.
 */
export async function readLock(file: string, writeCommand = "jackfield verify --write"): Promise<McpLock> {
  const text = await fileSystem.promises.readFile(file, "utf8").catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? thrownText(error);
    const message =
      reason === "ENOENT"
        ? `The lock file ${file} does not exist; "${writeCommand}" creates one.`
        : `The lock file ${file} cannot be read (${reason}); name a file that is readable.`;
    throw toMcpError(error, "MCP_CONFIG_NOT_FOUND", message, { phase: "config", location: { file } });
  });
  const { parseLock } = await loadGuards();
  return parseLock(text, { file });
}

async function lockedPins(
  file: string,
  { cwd = ".", log, refresh }: Pick<GuardSettings, "cwd" | "log" | "refresh">,
): Promise<ToolPins> {
  const lock = await readLock(resolve(cwd, file));
  const guards = await loadGuards();
  return guards.openToolPins({ lock, log, refresh, found: (finding) => logDrift(finding, log, guards) });
}

function logDrift(
  { server, tool, state, changes }: PinFinding,
  log: Logger,
  { cleanText, formatChanges }: Awaited<ReturnType<typeof loadGuards>>,
): void {
  const message = `Tool "${cleanText(tool)}" ${DRIFTS[state]} and is withheld; "jackfield verify" shows the difference.`;
  log("warn", message, { server, tool, changes: formatChanges(changes, cleanText) });
}

const DRIFTS = { new: "is not in the lock", changed: "differs from the lock" };

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}
