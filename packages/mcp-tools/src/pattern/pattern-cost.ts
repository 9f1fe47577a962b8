import type { PatternNode } from "./pattern-syntax.ts";

/** An upper bound on the cost of matching in a backtracking engine: `factor` times the text's length to the power of `loops`. */
interface Cost {
  readonly factor: number;
  readonly loops: number;
}

const ENDLESS: Cost = { factor: 1, loops: Number.POSITIVE_INFINITY };

/**
 * A rough upper bound on the steps of a native `RegExp` for a text of a given length. Loops over one set raise the exponent;
 * optional parts and alternatives raise the factor. A repeated group, a lookbehind or a back-reference has no bound.
 */
export function patternCost(root: PatternNode): (length: number) => number {
  const { factor, loops } = costOf(root);
  const exponent = Math.max(loops, 1) + (beginsAtStart(root) ? 0 : 1);
  return (length) => factor * (length + 1) ** exponent;
}

function costOf(node: PatternNode): Cost {
  switch (node.kind) {
    case "set":
    case "edge":
      return { factor: 1, loops: 0 };
    case "sequence":
      return node.items.map(costOf).reduce(inTurn, { factor: 1, loops: 0 });
    case "choice":
      return node.options.map(costOf).reduce(either, { factor: 0, loops: 0 });
    case "capture":
      return costOf(node.body);
    case "repeat":
      return costOfRepeat(node);
    case "look":
      return node.behind ? ENDLESS : costOf(node.body);
    case "back-reference":
      return ENDLESS;
  }
}

function costOfRepeat({ body, min, max }: Extract<PatternNode, { kind: "repeat" }>): Cost {
  const cost = costOf(body);
  if (body.kind === "set") return min === max ? { factor: 1 + min / 8, loops: 0 } : { factor: 1, loops: 1 };
  if (max === 1) return either(cost, { factor: 1, loops: 0 });
  return ENDLESS;
}

function inTurn(one: Cost, other: Cost): Cost {
  return { factor: one.factor * other.factor + 1, loops: one.loops + other.loops };
}

function either(one: Cost, other: Cost): Cost {
  return { factor: one.factor + other.factor, loops: Math.max(one.loops, other.loops) };
}

function beginsAtStart(node: PatternNode | undefined): boolean {
  if (node?.kind === "edge") return node.edge === "start";
  if (node?.kind === "capture") return beginsAtStart(node.body);
  return node?.kind === "sequence" && beginsAtStart(node.items[0]);
}
