import { writeFileSync } from "node:fs";
import type { InlineServer } from "@jackfield/mcp-config";
import { type FaultRecord, type FaultScript, readFaultRecord, stdioFaultServer } from "@jackfield/test-kit";
import type { TemporaryFolder } from "./fixture.ts";

/** A stdio server that behaves differently the next time, although its definition stays the same. */
export interface ScriptedServer {
  readonly definition: InlineServer;
  /** From its next start on. */
  behave(script: FaultScript): void;
  /** What it has done since it was made. */
  record(): readonly FaultRecord[];
}

export function scriptedServer(folder: TemporaryFolder, name: string): ScriptedServer {
  const scriptFile = folder.file(`${name}.json`);
  const launcher = folder.file(`${name}.mjs`);
  const recordTo = folder.file(`${name}.log`);
  const { command, args, env } = stdioFaultServer();
  const behave = (script: FaultScript) => writeFileSync(scriptFile, JSON.stringify({ ...script, recordTo }));
  behave({});
  writeFileSync(
    launcher,
    `import { readFileSync } from "node:fs";
process.argv[2] = readFileSync(${JSON.stringify(scriptFile)}, "utf8");
await import(${JSON.stringify(args[0])});`,
  );
  return { definition: { command, args: [launcher], env }, behave, record: () => readFaultRecord(recordTo) };
}
