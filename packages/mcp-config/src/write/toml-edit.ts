import { stringify } from "smol-toml";
import type { JsonMap } from "../read/json-value.ts";
import { type TomlLine, tomlLines } from "../read/toml.ts";

/** The text with a table of this name, in place of one that it has; without it if there is no value. The rest stays as it is. */
export function editTomlTable(text: string, path: readonly string[], value: JsonMap | undefined): string {
  const kept = withoutTable(text, path);
  if (value === undefined) return kept;
  const nested = path.toReversed().reduce<JsonMap>((inner, key) => ({ [key]: inner }), value);
  const gap = kept === "" ? "" : kept.endsWith("\n") ? "\n" : "\n\n";
  return `${kept}${gap}${stringify(nested)}`;
}

/** The text in which the table of this name has a key with a value, or has it no longer. */
export function editTomlKey(
  text: string,
  path: readonly string[],
  key: string,
  value: boolean | undefined,
): string {
  const lines = tomlLines(text);
  const head = lines.findIndex(({ header }) => header !== undefined && isSame(header, path));
  if (head === -1) return text;
  const after = lines.slice(head + 1);
  const end = after.findIndex(({ header }) => header !== undefined);
  const body = end === -1 ? after : after.slice(0, end);
  const written = value === undefined ? "" : `${key} = ${value}\n`;
  const known = body.find(({ keys }) => keys?.length === 1 && keys[0] === key);
  const from = known?.from ?? lines[head]?.to ?? 0;
  return text.slice(0, from) + written + text.slice(known?.to ?? from);
}

function withoutTable(text: string, path: readonly string[]): string {
  const lines = tomlLines(text);
  let isInside = false;
  let kept = "";
  /** Empty lines and comments in the table, which may belong to the next one. */
  let pending: TomlLine[] = [];
  for (const line of lines) {
    const whole = text.slice(line.from, line.to);
    if (line.header !== undefined) isInside = isSame(line.header.slice(0, path.length), path);
    const isAside = line.header === undefined && /^\s*(?:#.*)?\s*$/.test(whole);
    if (isInside) pending = isAside ? [...pending, line] : [];
    else {
      kept += pending.map(({ from, to }) => text.slice(from, to)).join("") + whole;
      pending = [];
    }
  }
  return kept;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
