import { aiSdkTools } from "@jackfield/mcp-ai-sdk";

type Source = Parameters<typeof aiSdkTools>[0];

const TIMES = 20;

/** How long it takes to make AI SDK tools of all the tools of a source, in milliseconds. */
export function adaptedToolsMs(source: Source): number {
  const expected = source.tools().length;
  const before = performance.now();
  for (let done = 0; done < TIMES; done += 1) {
    const adapted = Object.keys(aiSdkTools(source)).length;
    if (adapted !== expected) throw new Error(`Of ${expected} tools ${adapted} were adapted.`);
  }
  return (performance.now() - before) / TIMES;
}
