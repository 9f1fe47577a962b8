import { describe, expect, test } from "vitest";
import { chartOf } from "../src/chart.ts";
import type { Recording } from "../src/recording.ts";
import { resultChart } from "../src/result-chart.ts";

const MACHINE = { node: "v24", system: "linux", cpu: "some CPU", cpus: 2, loadBefore: 0.5, loadAfter: 1 };

function widths(svg: string): number[] {
  return [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
}

describe("the chart", () => {
  test("has a bar for each ratio, with a length to match and an own class for Jackfield's", () => {
    const svg = chartOf(
      [
        {
          title: "time",
          bars: [
            { label: "one", ratio: 0.5, isOwn: true },
            { label: "two", ratio: 2, isOwn: false },
          ],
        },
      ],
      "a caption",
    );
    const [one = 0, two = 0] = widths(svg);
    expect(two / one).toBeCloseTo(4, 1);
    expect(svg).toMatch(/>one<.*class="bar own".*>0\.50 ×</);
    expect(svg).toMatch(/>two<.*class="bar".*>2\.00 ×</);
    expect(svg).toContain("prefers-color-scheme: dark");
  });

  test("escapes text for the SVG document", () => {
    const svg = chartOf([{ title: "a < b & c", bars: [] }], "<caption>");
    expect(svg).toContain("a &lt; b &amp; c");
    expect(svg).toContain("&lt;caption&gt;");
  });

  test("of a run puts the best first and has no panel for what was not measured", () => {
    const recording = (subject: Recording["subject"], callsPerSecond: number): Recording => {
      return { round: 1, scenario: "calls stdio", subject, figures: { callsPerSecond } };
    };
    const recordings = [recording("raw-sdk", 100), recording("mastra", 50), recording("jackfield", 400)];
    const svg = resultChart(recordings, MACHINE) ?? "";
    expect([...svg.matchAll(/([\d.]+) ×</g)].map(([, ratio]) => ratio)).toEqual(["4.00", "1.00", "0.50"]);
    expect(svg.match(/class="title"/g)).toHaveLength(1);
    expect(svg).toContain("more is better");
    expect(resultChart([], MACHINE)).toBeUndefined();
  });
});
