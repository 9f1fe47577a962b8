import { type Node, parseTree } from "jsonc-parser";

/**
 * The text with a member set at a path of keys, or without it if the value is `undefined`. Everything else stays as it is: the edits of
 * `jsonc-parser` would delete comments beside the member, and lay out its neighbours anew.
 */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  const source = text.trim() === "" ? "{}\n" : text;
  const style = styleOf(source);
  let object = parseTree(source, [], { allowTrailingComma: true });
  for (const [depth, key] of path.entries()) {
    const member: Node | undefined = object?.children?.findLast(
      ({ children }) => children?.[0]?.value === key,
    );
    if (object === undefined || member === undefined) {
      const inner = path.slice(depth + 1).reduceRight<unknown>((nested, name) => ({ [name]: nested }), value);
      return object === undefined || value === undefined
        ? source
        : withMember(
            source,
            object,
            `${JSON.stringify(key)}: ${layOut(inner, depth + 1, style)}`,
            depth,
            style,
          );
    }
    const old = member.children?.[1];
    if (depth === path.length - 1)
      return value === undefined
        ? withoutMember(source, object, member)
        : replaced(source, old, layOut(value, depth + 1, style));
    object = old;
  }
  return source;
}

interface Style {
  readonly indent: string;
  readonly lineEnd: string;
}

function styleOf(text: string): Style {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { indent, lineEnd: text.includes("\r\n") ? "\r\n" : "\n" };
}

function layOut(value: unknown, depth: number, { indent, lineEnd }: Style): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", lineEnd + indent.repeat(depth));
}

function replaced(text: string, node: Node | undefined, by: string): string {
  return node === undefined ? text : text.slice(0, node.offset) + by + text.slice(endOf(node));
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Behind the last member, and behind what is said of it. */
function withMember(
  text: string,
  object: Node,
  member: string,
  depth: number,
  { indent, lineEnd }: Style,
): string {
  const brace = endOf(object) - 1;
  const last = object.children?.at(-1);
  const needsComma = last !== undefined && commaBehind(text, endOf(last)) === undefined;
  const body = needsComma
    ? `${text.slice(0, endOf(last))},${text.slice(endOf(last), brace)}`
    : text.slice(0, brace);
  const whole = `${lineEnd}${indent.repeat(depth + 1)}${member}${lineEnd}${indent.repeat(depth)}`;
  return body.trimEnd() + whole + text.slice(brace);
}

/** With its comma, and with its line if nothing but a comment on the member is left of it. */
function withoutMember(text: string, object: Node, member: Node): string {
  const comma = commaBehind(text, endOf(member));
  const before = object.children?.[object.children.indexOf(member) - 1];
  // The last member may have left a comma before it.
  const left = comma === undefined && before !== undefined ? commaBehind(text, endOf(before)) : undefined;
  let from = member.offset;
  let to = comma === undefined ? endOf(member) : comma + 1;
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const [rest = ""] = /^[ \t]*(?:\/\/[^\r\n]*)?(?:\r?\n|$)/.exec(text.slice(to)) ?? [];
  if (rest !== "" && text.slice(lineStart, from).trim() === "") [from, to] = [lineStart, to + rest.length];
  const kept = left === undefined ? text.slice(0, from) : text.slice(0, left) + text.slice(left + 1, from);
  return kept + text.slice(to);
}

/** The place of the comma that follows, behind white space and comments. */
function commaBehind(text: string, from: number): number | undefined {
  const [skipped = ""] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from)) ?? [];
  const at = from + skipped.length;
  return text[at] === "," ? at : undefined;
}
