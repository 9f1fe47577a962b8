import { expect, test } from "vitest";
import { createFaultLog } from "../src/fault-log.ts";
import { recordingLogger } from "./catalog-samples.ts";

test("each kind of fault is logged once, however many servers meet it", () => {
  const { log, lines } = recordingLogger();
  const faults = createFaultLog(log);
  for (const server of ["a", "b", "c"]) faults("warn", "It failed.", { server, reason: "disk is full" });
  faults("warn", "It failed.", { server: "a", reason: "database is locked" });
  faults("warn", "It was deleted.", { file: "file" });
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('"server":"a"');
});
