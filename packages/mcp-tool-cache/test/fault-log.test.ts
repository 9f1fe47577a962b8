import { expect, test } from "vitest";
import { FaultLog } from "../src/fault-log.ts";
import { recordingLogger } from "./catalog-samples.ts";

test("each kind of fault is logged once, however many servers meet it", () => {
  const { log, lines } = recordingLogger();
  const faults = new FaultLog(log);
  for (const server of ["a", "b", "c"]) faults.log("warn", "It failed.", { server, reason: "disk is full" });
  faults.log("warn", "It failed.", { server: "a", reason: "database is locked" });
  faults.log("warn", "It was deleted.", { file: "file" });
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('"server":"a"');
});
