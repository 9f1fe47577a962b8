import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readAttacks, readBenign } from "../corpus/corpus.ts";
import { measureSignals } from "./corpus-measurement.ts";

const attacks = readAttacks();
const benign = readBenign();
const measured = measureSignals(attacks, benign);

describe("the corpus of attacks and honest outputs", () => {
  test("holds at least 60 attacks and 150 honest outputs, each once, with its class and source", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    expect(benign.length).toBeGreaterThanOrEqual(150);
    const samples = [...attacks, ...benign];
    expect(new Set(samples.map(({ source, text }) => `${source}\n${text}`)).size).toBe(samples.length);
    for (const { class: kind, source } of samples) expect([kind, source]).not.toContain("");
  });

  test("raises at most 2 % false alarms", ({ annotate }) => {
    expect(measured.falseAlarms / measured.benign).toBeLessThanOrEqual(0.02);
    return annotate(measured.tables.join("\n\n"));
  });

  test("[T61] every tuned attack whose technique has a signal is found", () => {
    const missed = measured.signals.filter(({ tuned }) => tuned.hits < tuned.samples);
    expect(missed).toEqual([]);
  });

  test("the figures in the reference match the measurement", () => {
    const reference = readFileSync(new URL("../../docs/reference.md", import.meta.url), "utf8");
    const [bySignal = "", honest = ""] = measured.tables;
    for (const figures of [bySignal.split("\n").at(-1) ?? "", honest]) {
      expect(figures).not.toBe("");
      expect(reference).toContain(figures);
    }
  });
});
