import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import type { ProcessRecord } from "../../src/stdio/process-record.ts";
import {
  currentPlace,
  processRecordFolder,
  readProcessRecord,
} from "../../src/stdio/process-record-directory.ts";
import { atEnd } from "../cleanup.ts";

const record: ProcessRecord = {
  version: 1,
  place: currentPlace(),
  host: { pid: 999_999, start: "1" },
  trees: [],
};

/** Writes the record and removes it, again and again, as a host does whose servers come and go. */
const WRITER = `
const { rmSync, writeFileSync } = require("node:fs");
const { workerData } = require("node:worker_threads");
for (;;) {
  writeFileSync(workerData.path, workerData.text);
  rmSync(workerData.path);
}`;

test("a record that its host removes meanwhile counts as absent", () => {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-transports-"));
  const directory = processRecordFolder(folder);
  const name = "999999-0123abcd.json";
  const path = join(folder, name);
  const text = JSON.stringify(record);
  writeFileSync(path, text);
  const writer = new Worker(WRITER, { eval: true, workerData: { path, text } });
  atEnd(async () => {
    await writer.terminate();
    rmSync(folder, { recursive: true, force: true });
  });
  const seen = { present: 0, absent: 0 };
  while (seen.present < 1_000 || seen.absent < 1_000) {
    if (readProcessRecord(directory, name)) seen.present += 1;
    else seen.absent += 1;
  }
  expect(seen.present).toBeGreaterThanOrEqual(1_000);
});
