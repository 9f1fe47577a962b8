import { describe, expect, test } from "vitest";
import { medianOf, type Question, type Recording, ratioOf } from "../src/recording.ts";
import type { Subject } from "../src/subject.ts";

const QUESTION: Question = { scenario: "start 5", subject: "jackfield", figure: "readyMs" };

function recording(round: number, subject: Subject, readyMs: number, scenario = "start 5"): Recording {
  return { round, scenario, subject, figures: { readyMs } };
}

describe("recordings", () => {
  test("a ratio compares figures of the same round, so a slow round does not distort it", () => {
    const recordings = [
      recording(1, "jackfield", 100),
      recording(1, "raw-sdk", 200),
      recording(2, "raw-sdk", 2000),
      recording(2, "jackfield", 1000),
      recording(3, "jackfield", 120),
      recording(3, "raw-sdk", 200),
    ];
    expect(ratioOf(recordings, QUESTION, { subject: "raw-sdk" })).toEqual({
      median: 0.5,
      lowest: 0.5,
      highest: 0.6,
    });
  });

  test("a ratio skips rounds in which one of the two figures is missing", () => {
    const recordings = [
      recording(1, "jackfield", 100),
      recording(1, "raw-sdk", 200),
      recording(2, "jackfield", 100),
      recording(3, "raw-sdk", 100),
    ];
    expect(ratioOf(recordings, QUESTION, { subject: "raw-sdk" })).toEqual({
      median: 0.5,
      lowest: 0.5,
      highest: 0.5,
    });
  });

  test("a median ignores other scenarios and subjects", () => {
    const recordings = [
      recording(1, "jackfield", 100),
      recording(1, "jackfield", 900, "start 20"),
      recording(1, "hand-written", 500),
      recording(2, "jackfield", 300),
    ];
    expect(medianOf(recordings, QUESTION)).toBe(200);
  });

  test("a figure that was never measured has neither median nor ratio", () => {
    const recordings = [recording(1, "jackfield", 100)];
    expect(medianOf(recordings, { ...QUESTION, figure: "callsPerSecond" })).toBeUndefined();
    expect(ratioOf(recordings, QUESTION, { subject: "raw-sdk" })).toBeUndefined();
  });
});
