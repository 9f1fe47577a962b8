import { type CallMiddleware, isMcpError } from "@jackfield/mcp-core";
import { mediaTypesOf } from "./frameworks/call-recorder.ts";
import { fitLine, type Screen } from "./screen.ts";
import { type TerminalStyle, withoutControls } from "./terminal-style.ts";

/**
 * Shows each call with its arguments and, when it ends, `✓` or `!` (an error), its duration, and its media types or error code.
 * Runs behind the approval, so that the duration is the server's and not the person's.
 */
export function showCalls(screen: Screen, style: TerminalStyle): CallMiddleware {
  const say = (line: string) => screen.write(style.dim(fitLine(withoutControls(line), screen.columns)));
  return async ({ tool, args }, next) => {
    say(`  → ${tool.name} ${JSON.stringify(args)}`);
    const startedAt = performance.now();
    const took = () => `${tool.name} ${Math.round(performance.now() - startedAt)} ms`;
    try {
      const result = await next();
      const media = mediaTypesOf(result).map((type) => `, ${type}`);
      say(`  ${result.isError === true ? "!" : "✓"} ${took()}${media.join("")}`);
      return result;
    } catch (error) {
      say(`  ! ${took()}${isMcpError(error) ? `, ${error.code}` : ""}`);
      throw error;
    }
  };
}
