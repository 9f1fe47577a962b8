import { createTimeSlices, type ToolDescriptor, type ToolListPolicy } from "@jackfield/mcp-core";
import type { ScanOptions } from "./injection-finding.ts";
import { scanText } from "./scan-results.ts";
import { createShadowWatch } from "./shadow-watch.ts";
import { originOf, textsOf } from "./tool-texts.ts";

/**
 * Scans what servers say of their tools, once for each definition: descriptions, titles, annotations, and everything in
 * schemas. Nothing waits for it: a server may list thousands of long tools, so they are scanned after the list was taken, in slices of
 * time, in the order in which they came.
 *
 * A tool that names a tool of *another* server is reported as `shadowing`, whichever of the two servers came first: it may try
 * to change how the other tool is used.
 */
export function scanTools(options: ScanOptions): ToolListPolicy {
  const scanned = new WeakSet<object>();
  const shadows = createShadowWatch(options);
  const waiting: ToolDescriptor[] = [];
  let isScanning = false;
  const scanAll = async () => {
    const slices = createTimeSlices();
    for (let next = 0; next < waiting.length; next += 1) {
      const tool = waiting[next] as ToolDescriptor;
      for (const [where, text] of textsOf(tool)) {
        scanText(text, originOf(tool, where), options);
        if (slices.isOver()) await slices.next();
      }
    }
    waiting.length = 0;
    isScanning = false;
  };
  return (tool) => {
    shadows.offer(tool);
    if (scanned.has(tool.definition)) return tool;
    scanned.add(tool.definition);
    waiting.push(tool);
    if (!isScanning) queueMicrotask(() => void scanAll());
    isScanning = true;
    return tool;
  };
}
