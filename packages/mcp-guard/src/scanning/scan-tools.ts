import { createTimeSlices, type ToolDescriptor, type ToolListPolicy } from "@jackfield/mcp-core";
import type { ScanOptions } from "./injection-finding.ts";
import { scanText } from "./scan-results.ts";
import { createShadowWatch } from "./shadow-watch.ts";
import { originOf, textsOf } from "./tool-texts.ts";

/** How much of one list is scanned at once, in UTF-16 units: what an ordinary server says of its tools. Takes a few milliseconds. */
const SCANNED_AT_ONCE = 100_000;

/**
 * Scans what servers say of their tools, once for each definition: descriptions, titles, annotations, and everything in
 * schemas. An ordinary list is scanned before the policy returns, so that a later policy knows what was found. A server may list thousands
 * of long tools: beyond 100,000 characters of a list, its tools are scanned soon after it was taken, in slices of time, in their order.
 *
 * A tool that names a tool of *another* server is reported as `shadowing`, whichever of the two servers came first: it may try
 * to change how the other tool is used.
 */
export function scanTools(options: ScanOptions): ToolListPolicy {
  const scanned = new WeakSet<object>();
  const shadows = createShadowWatch(options);
  const waiting: ToolDescriptor[] = [];
  let leftAtOnce = SCANNED_AT_ONCE;
  let isScanning = false;
  const scan = (tool: ToolDescriptor): number => {
    const texts = textsOf(tool);
    for (const [where, text] of texts) scanText(text, originOf(tool, where), options);
    return texts.reduce((length, [, text]) => length + text.length, 0);
  };
  const scanWaiting = async () => {
    const slices = createTimeSlices();
    // A list grows while it is judged, and another one may arrive meanwhile.
    for (let next = 0; next < waiting.length; next += 1) {
      if (next === 0 || slices.isOver()) await slices.next();
      scan(waiting[next] as ToolDescriptor);
    }
    waiting.length = 0;
    isScanning = false;
  };
  return (tool) => {
    shadows.offer(tool);
    if (scanned.has(tool.definition)) return tool;
    scanned.add(tool.definition);
    // A list is judged in one turn.
    if (leftAtOnce === SCANNED_AT_ONCE)
      queueMicrotask(() => {
        leftAtOnce = SCANNED_AT_ONCE;
      });
    if (!isScanning && leftAtOnce > 0) {
      leftAtOnce -= scan(tool);
      return tool;
    }
    waiting.push(tool);
    if (!isScanning) void scanWaiting();
    isScanning = true;
    return tool;
  };
}
