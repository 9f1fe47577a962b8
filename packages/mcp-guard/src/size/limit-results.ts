import type { CallMiddleware, ToolCallResult, ToolDescriptor } from "@jackfield/mcp-core";
import type { Provenance } from "../marking/boundary.ts";
import { isShortText, type LimitedResult, limitResult } from "./limit-result.ts";
import { notice } from "./missing-notice.ts";
import { type ParsedLimits, parseLimits, type ResultLimits } from "./result-limits.ts";
import type { ResultStore } from "./result-store.ts";

/** How much of a result a model gets to read, for all servers and for individual ones. */
export interface LimitResultsOptions extends ResultLimits {
  /** Limits for individual servers by name; each field overrides the general one. */
  readonly servers?: Readonly<Record<string, ResultLimits>> | undefined;
  /** Where the full text of a cut result is kept, for example `resultDirectory()`. Default: it is dropped. */
  readonly store?: ResultStore | undefined;
}

/**
 * Limits what a model reads of a result; a program gets all of it. Texts are cut at a character boundary, and a notice at the
 * end says how much is missing and, with a store, where to read on. Structured content, links and URIs that do not fit are left
 * out whole, since a part of them would be useless. Structured content that the texts repeat takes no room. Linear in the size
 * of the result.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is not a number of at least 0.
 */
export function limitResults({ servers = {}, store, ...general }: LimitResultsOptions = {}): CallMiddleware {
  const limits = parseLimits(general);
  const own = new Map(Object.entries(servers).map(([server, given]) => [server, parseLimits(given, limits)]));
  // Most results stay as they are; no async function is started for them.
  return ({ tool, options }, next) => {
    if (options.audience !== "model") return next();
    const within = own.get(tool.server) ?? limits;
    return next().then((result) =>
      isShortText(result, within) ? result : limitLong(result, within, tool, store),
    );
  };
}

async function limitLong(
  result: ToolCallResult,
  limits: ParsedLimits,
  { server, originalName }: ToolDescriptor,
  store: ResultStore | undefined,
): Promise<ToolCallResult> {
  const limited = limitResult(result, limits);
  if (limited.missing.length === 0) return result;
  const place = await keep(limited, store, { server, tool: originalName });
  return {
    ...limited.result,
    content: [...limited.result.content, { type: "text", text: notice("result", limited.missing, place) }],
  };
}

/** If the store fails, the model loses the rest of a text; the call, which was carried out, does not fail. */
async function keep(
  limited: LimitedResult,
  store: ResultStore | undefined,
  provenance: Provenance,
): Promise<string | undefined> {
  try {
    return await store?.save(limited.whole(), provenance);
  } catch {
    return undefined;
  }
}
