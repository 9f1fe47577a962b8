import type {
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  ResourceContents,
} from "@jackfield/mcp-core";
import { cleanJson } from "./cleaning/clean-text.ts";
import { blocksOf } from "./known-block.ts";
import { encloseUntrusted } from "./marking/boundary.ts";
import { markResource } from "./marking/mark-blocks.ts";
import { markPrompt } from "./marking/mark-results.ts";
import type { InjectionFinding, ScannedPlace } from "./scanning/injection-finding.ts";
import { scanText, textOfBlocks } from "./scanning/scan-results.ts";
import { cutText } from "./size/cut-text.ts";
import { limitPrompt, limitResource } from "./size/limit-contents.ts";
import { type LimitResultsOptions, notice } from "./size/limit-results.ts";
import { parseLimits } from "./size/result-limits.ts";

/** Which guards apply: the names and defaults of the `guards` of `openMcp`. */
export interface ContentGuardOptions {
  /** Default: 50,000 characters, images of 5 MiB. A store is not used: resources can be read again. */
  readonly limits?: Omit<LimitResultsOptions, "store"> | false | undefined;
  readonly cleanResults?: boolean | undefined;
  readonly mark?: boolean | undefined;
  readonly found?: ((finding: InjectionFinding) => void) | undefined;
}

/** The guards that results of tools pass, for everything else that a model reads of a server. */
export interface ContentGuards {
  resource(resource: ReadResourceResult, server: string): ReadResourceResult;
  prompt(prompt: GetPromptResult, server: string): GetPromptResult;
  /** What a server says about itself, for a system prompt. */
  instructions(text: string, server: string): string;
}

/**
 * Scans, cleans, cuts and encloses resources, prompts and instructions as the runtime does results: give it the same `guards`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is not a number of at least 0
 */
export function createContentGuards({
  limits = {},
  cleanResults,
  mark,
  found,
}: ContentGuardOptions = {}): ContentGuards {
  if (limits !== false) parseLimits(limits);
  const limitsOf = (server: string) =>
    limits === false ? NO_LIMITS : { ...limits, ...limits.servers?.[server] };
  const scan = (content: readonly unknown[], server: string, where: ScannedPlace) => {
    if (found !== undefined) scanText(textOfBlocks(content), { server, where }, { found });
  };
  const cleaned = <T>(value: T): T => (cleanResults === true ? cleanJson(value) : value);
  return {
    resource(given, server) {
      const resource = { ...given, contents: given.contents.map(readableContents) };
      scan(
        resource.contents.map((contents) => ({ type: "resource", resource: contents })),
        server,
        "resource",
      );
      const limited = limitResource(cleaned(resource), limitsOf(server));
      if (mark !== true) return limited;
      return { ...limited, contents: limited.contents.map((contents) => markResource(contents, { server })) };
    },
    prompt(given, server) {
      const messages = given.messages.map((message) => ({
        ...message,
        content: readableBlock(message.content),
      }));
      scan(
        messages.map(({ content }) => content),
        server,
        "prompt",
      );
      const limited = limitPrompt(cleaned({ ...given, messages }), limitsOf(server));
      return mark === true ? markPrompt(limited, { server }) : limited;
    },
    instructions(text, server) {
      scan([{ type: "text", text }], server, "instructions");
      const { maxResultChars } = parseLimits(limitsOf(server));
      const plain = cleaned(text.toWellFormed());
      const kept = cutText(plain, maxResultChars);
      const missing = plain.length - kept.length;
      const shown =
        missing === 0
          ? kept
          : `${kept}\n${notice("text", [`${missing} of ${plain.length} characters of text`])}`;
      return mark === true ? encloseUntrusted(shown, { server }) : shown;
    },
  };
}

const NO_LIMITS = { maxResultChars: 0, maxBinaryBytes: 0 };

/** A block with its text, if its bytes are one. */
function readableBlock(block: ContentBlock): ContentBlock {
  const [readable = block] = blocksOf({ content: [block] });
  return readable as ContentBlock;
}

function readableContents(contents: ResourceContents): ResourceContents {
  const block = readableBlock({ type: "resource", resource: contents });
  return block.type === "resource" ? block.resource : contents;
}
