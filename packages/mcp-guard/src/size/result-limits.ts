import { McpError } from "@jackfield/mcp-core";

/** How much of a result a model gets to read. */
export interface ResultLimits {
  /**
   * Characters (UTF-16 units) of all texts of a result together. Also limits its blocks, to one for each 100 characters and at
   * least 16. Default 50,000 (SideCar). `0` = no limit.
   */
  readonly maxResultChars?: number | undefined;
  /** Decoded bytes of one image, sound or binary resource. Default 5,242,880 (5 MiB). `0` = no limit. */
  readonly maxBinaryBytes?: number | undefined;
}

/** Limits with the defaults applied; `Infinity` = no limit. */
export interface ParsedLimits {
  readonly maxResultChars: number;
  readonly maxBinaryBytes: number;
  /** Maximum number of blocks. They are limited since markers and URIs around a block may be longer than its text. */
  readonly maxBlocks: number;
}

const DEFAULTS = { maxResultChars: 50_000, maxBinaryBytes: 5_242_880 };
const CHARS_FOR_A_BLOCK = 100;
const FEWEST_BLOCKS = 16;

/** Applies limits over the defaults. @throws McpError `MCP_CONFIG_INVALID` for an invalid limit. */
export function parseLimits(
  limits: ResultLimits,
  defaults: Omit<ParsedLimits, "maxBlocks"> = DEFAULTS,
): ParsedLimits {
  const read = (name: keyof typeof DEFAULTS): number => {
    const limit = limits[name];
    if (limit === undefined) return defaults[name];
    if (typeof limit === "number" && limit >= 0) return limit === 0 ? Number.POSITIVE_INFINITY : limit;
    const message = `"${name}" must be a number of at least 0, not ${String(limit)}.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
  };
  const maxResultChars = read("maxResultChars");
  const maxBlocks = Math.max(FEWEST_BLOCKS, Math.floor(maxResultChars / CHARS_FOR_A_BLOCK));
  return { maxResultChars, maxBinaryBytes: read("maxBinaryBytes"), maxBlocks };
}
