import { describe, expect, test } from "vitest";
import { seededRandom, shuffled } from "../src/shuffle.ts";

const ITEMS = ["a", "b", "c"];

describe("shuffled", () => {
  test("keeps every item and does not change the list", () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const result = shuffled(items, seededRandom(1));
    expect(result).not.toEqual(items);
    expect(result.toSorted((a, b) => a - b)).toEqual(items);
    expect(items[0]).toBe(0);
  });

  test("gives the same orders for the same seed, and others for another", () => {
    const orders = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 10 }, () => shuffled(ITEMS, random).join(""));
    };
    expect(orders(1)).toEqual(orders(1));
    expect(orders(1)).not.toEqual(orders(2));
  });

  test("gives each of the six orders of three items about equally often", () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6000; draw += 1) {
      const order = shuffled(ITEMS, random).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
