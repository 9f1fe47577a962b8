import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** What a model read of one outcome, by one way to one API. */
export interface ReadingOf {
  readonly column: string;
  readonly title: string;
  readonly parts: readonly string[];
}

const PAGE = "docs/what-a-model-reads.md";

/**
 * Compares the tables between the page's marks of that name with these readings, and writes it anew if `UPDATE_DOCS` is set.
 *
 * In the first table, the first column is what every API takes, and the others say what is different. The second one has the
 * outcomes that are read alike by every way.
 *
 * @throws Error if the page says something else
 */
export async function writtenTable(name: string, readings: readonly ReadingOf[]): Promise<void> {
  const columns = [...new Set(readings.map(({ column }) => column))];
  const titles = [...new Set(readings.map(({ title }) => title))];
  const [first = "", ...others] = columns;
  const readingOf = (title: string, column: string) =>
    readings.find((reading) => reading.title === title && reading.column === column)?.parts ?? [];
  const rows = titles.map((title) => {
    const text = readingOf(title, first);
    return [
      plainTitle(title),
      cell(text.join("\n\n")),
      ...others.map((column) => difference(text, readingOf(title, column))),
    ];
  });
  const isSame = ([, , ...differences]: readonly string[]) => differences.every((cell) => cell === "=");
  const differing = table(
    ["outcome", first, ...others],
    rows.filter((row) => !isSame(row)),
  );
  const same = table(
    ["outcome", "by every way"],
    rows.filter(isSame).map((row) => row.slice(0, 2)),
  );
  await writtenSection(name, `${differing}\n\n${same}`);
}

/**
 * Compares a section of the page with what it should say, and writes it anew if `UPDATE_DOCS` is set.
 *
 * @throws Error if the page says something else
 */
export async function writtenSection(name: string, text: string): Promise<void> {
  const file = join(resolve(import.meta.dirname, "../../.."), PAGE);
  const page = await readFile(file, "utf8");
  const marks = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`);
  if (!marks.test(page)) throw new Error(`${PAGE} has no section "${name}".`);
  const updated = page.replace(marks, (_match, start: string, end: string) => `${start}\n${text}\n${end}`);
  if (updated === page) return;
  if (process.env.UPDATE_DOCS === undefined)
    throw new Error(
      `The section "${name}" of ${PAGE} is not up to date: run the test with UPDATE_DOCS=1, and look at what changed.`,
    );
  await writeFile(file, updated);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** Codes of cases stand in tests only. */
function plainTitle(title: string): string {
  return title.replace(/^\[\w+\] /, "").replaceAll("|", "\\|");
}

function cell(text: string): string {
  const line = text
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

function difference(text: readonly string[], parts: readonly string[]): string {
  const media = parts.filter((part) => /^‹[\w.+/-]+›$/.test(part)).map((part) => part.slice(1, -1));
  if (media.length > 0) return media.join(", ");
  const [plain, read] = [text.join("\n\n"), parts.join("\n\n")];
  if (plain === read) return "=";
  const isWithin = read.includes(plain) || read.includes(JSON.stringify(plain).slice(1, -1));
  return isWithin
    ? cell(read.replace(plain, "…").replace(JSON.stringify(plain).slice(1, -1), "…"))
    : cell(read);
}
