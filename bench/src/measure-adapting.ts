import type { Mcp } from "jackfield";

const TIMES = 20;

/** How long it takes to make AI SDK tools of all the tools of a source, in milliseconds. */
export async function adaptedToolsMs(source: Mcp): Promise<number> {
  const { aiSdkTools } = await import("@jackfield/mcp-ai-sdk");
  const expected = source.tools().length;
  const before = performance.now();
  for (let done = 0; done < TIMES; done += 1) {
    const adapted = Object.keys(aiSdkTools(source)).length;
    if (adapted !== expected) throw new Error(`Of ${expected} tools ${adapted} were adapted.`);
  }
  return (performance.now() - before) / TIMES;
}
