import type { ToolListPolicy } from "@jackfield/mcp-core";
import type { ScanOptions } from "./injection-finding.ts";
import { scanText } from "./scan-results.ts";
import { createShadowWatch } from "./shadow-watch.ts";
import { originOf, textsOf } from "./tool-texts.ts";

/**
 * Scans what servers say of their tools, once for each definition: descriptions, titles, annotations, and everything in
 * schemas.
 *
 * A tool that names a tool of *another* server is reported as `shadowing`, whichever of the two servers came first: it may try
 * to change how the other tool is used.
 */
export function scanTools(options: ScanOptions): ToolListPolicy {
  const scanned = new WeakSet<object>();
  const shadows = createShadowWatch(options);
  return (tool) => {
    shadows.offer(tool);
    if (scanned.has(tool.definition)) return tool;
    scanned.add(tool.definition);
    for (const [where, text] of textsOf(tool)) scanText(text, originOf(tool, where), options);
    return tool;
  };
}
