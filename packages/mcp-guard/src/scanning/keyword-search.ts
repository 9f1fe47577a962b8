/**
 * Finds which groups have a keyword in a text, as bits: the first group is 1, the second 2, the third 4. Searches for all
 * keywords in a single pass (Aho–Corasick automaton).
 *
 * @param groups - at most 31 groups of keywords in ASCII. The search is case-sensitive: pass keywords and texts in lower case.
 */
export function keywordSearch(groups: readonly (readonly string[])[]): (text: string) => number {
  const { classes, next, groupsAt } = automatonOf(groups);
  return (text) => {
    let found = 0;
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = next[state + (classes[text.charCodeAt(at)] ?? 0)] ?? 0;
      if (state < 0) {
        state = ~state;
        found |= groupsAt.get(state) ?? 0;
      }
    }
    return found;
  };
}

/** A state is the offset of its row in `next`, which has one column for each class of characters. */
interface Automaton {
  /** The class of each ASCII character; 0 if it is in no keyword. */
  readonly classes: Uint8Array;
  /** The next state for a state and a class; its bitwise complement, which is negative, if keywords end there. */
  readonly next: Int32Array;
  /** The groups of the keywords that end in a state. */
  readonly groupsAt: ReadonlyMap<number, number>;
}

function automatonOf(groups: readonly (readonly string[])[]): Automaton {
  const classes = new Uint8Array(0x80);
  const letters = [...new Set(groups.flat().join(""))];
  for (const [index, letter] of letters.entries()) classes[letter.charCodeAt(0)] = index + 1;
  const width = letters.length + 1;
  const nodes = trieOf(groups);
  const next = new Int32Array(nodes.length * width);
  const groupsAt = new Map<number, number>();
  for (const node of nodes) {
    const { row, fallback, children } = node;
    // A fallback is nearer to the root, so its row is complete.
    if (fallback !== undefined)
      next.copyWithin(row * width, fallback.row * width, (fallback.row + 1) * width);
    if (node.groups !== 0) groupsAt.set(row * width, node.groups);
    for (const [letter, child] of children) {
      const place = row * width + (classes[letter.charCodeAt(0)] ?? 0);
      next[place] = child.groups === 0 ? child.row * width : ~(child.row * width);
    }
  }
  return { classes, next, groupsAt };
}

/** A prefix of one or more keywords. */
interface TrieNode {
  readonly children: Map<string, TrieNode>;
  row: number;
  groups: number;
  /** The longest proper suffix of this prefix that is itself a prefix of a keyword; the root has none. */
  fallback?: TrieNode;
}

/** The nodes of the trie in breadth-first order, each with its row and its fallback. */
function trieOf(groups: readonly (readonly string[])[]): readonly TrieNode[] {
  const root: TrieNode = { children: new Map(), row: 0, groups: 0 };
  for (const [index, keywords] of groups.entries()) {
    for (const keyword of keywords) {
      let node = root;
      for (const letter of keyword) node = childOf(node, letter);
      node.groups |= 1 << index;
    }
  }
  const nodes = [root];
  for (const node of nodes) {
    for (const [letter, child] of node.children) {
      let shorter = node.fallback;
      while (shorter !== undefined && !shorter.children.has(letter)) shorter = shorter.fallback;
      child.fallback = shorter?.children.get(letter) ?? root;
      child.groups |= child.fallback.groups;
      child.row = nodes.push(child) - 1;
    }
  }
  return nodes;
}

function childOf(node: TrieNode, letter: string): TrieNode {
  const child = node.children.get(letter) ?? { children: new Map(), row: 0, groups: 0 };
  node.children.set(letter, child);
  return child;
}
