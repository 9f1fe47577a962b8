import { isRecord, type ToolDescriptor } from "@jackfield/mcp-core";
import { shellWord } from "../searched-places.ts";
import { cellsOf, fitCells } from "./cells.ts";
import { printableLine, printableName } from "./lines.ts";
import type { Page } from "./page.ts";
import { argumentsOf, shortArguments, shortSchemaType, type ToolArgument } from "./schema-type.ts";
import { printable, wrapWords } from "./terminal.ts";
import { callName } from "./tool-reference.ts";

/** A tool as a function: `files.read(path: string, lines?: number) → { text: string }`. */
function signatureOf(tool: ToolDescriptor): string {
  const { inputSchema, outputSchema } = tool.definition;
  const returned = outputSchema === undefined ? "" : ` → ${shortSchemaType(outputSchema)}`;
  return `${printableName(callName(tool))}(${shortArguments(inputSchema)})${returned}`;
}

/** Everything that the server said of a tool, besides how it is called here. */
export function toolAsJson({ name, server, originalName, origin, description, definition }: ToolDescriptor) {
  const { name: _name, description: _description, ...said } = definition;
  return { name, server, originalName, origin, description, ...said };
}

/** What the server says that a call may do, in a few words. It may be wrong. */
function marksOf({ definition }: ToolDescriptor): readonly string[] {
  const { readOnlyHint, destructiveHint } = definition.annotations ?? {};
  if (readOnlyHint === true) return ["read-only"];
  return destructiveHint === true ? ["destructive"] : [];
}

const TONES = { "read-only": "good", destructive: "bad" } as const;

/** The signature and what is noted behind it, in as many lines as the page needs. */
export function signatureLines(tool: ToolDescriptor, page: Page, notes: readonly string[] = []): string {
  const lines = fitting(signatureOf(tool), page.columns);
  const told = [...marksOf(tool), ...notes];
  const painted = told
    .map((note) => page.paint(TONES[note as keyof typeof TONES] ?? "faint", note))
    .join("  ");
  if (painted === "") return `${lines.join("\n")}\n`;
  const isRoom = cellsOf(lines.at(-1) ?? "") + cellsOf(told.join("  ")) + 2 <= page.columns;
  return `${lines.join("\n")}${isRoom ? "  " : "\n    "}${painted}\n`;
}

/** A line as it is, or broken between words, all but the first indented. */
function fitting(text: string, columns: number): readonly string[] {
  if (cellsOf(text) <= columns) return [text];
  return wrapWords(text, columns - 8, cellsOf).map((line, index) => (index === 0 ? line : `        ${line}`));
}

/** All that somebody needs who calls a tool by hand. */
export function toolHelp(tool: ToolDescriptor, page: Page): string {
  const { name, description, definition } = tool;
  const given = argumentsOf(definition.inputSchema);
  const indented = (text: string) => textLines(text, page).map((line) => `  ${line}\n`);
  const output =
    definition.outputSchema === undefined
      ? []
      : ["\nReturns\n", ...indented(shortSchemaType(definition.outputSchema))];
  return [
    signatureLines(tool, page),
    ...(description.trim() === "" ? [] : ["\n", ...indented(description)]),
    ...(given.length === 0 ? ["\nIt takes no arguments.\n"] : ["\nArguments\n"]),
    ...given.flatMap((argument) => argumentLines(argument, page)),
    ...output,
    "\nExample\n",
    `  jackfield call ${[typedWord(callName(tool)), ...given.filter(({ isRequired }) => isRequired).map(exampleOf)].join(" ")}\n`,
    `\nA model calls it ${printable(name)}.\n`,
  ].join("");
}

function argumentLines({ name, isRequired, type, schema }: ToolArgument, page: Page): readonly string[] {
  const { description, default: usual } = isRecord(schema) ? schema : {};
  const remarks = [
    isRequired ? "required" : "",
    usual === undefined ? "" : `default: ${printable(JSON.stringify(usual))}`,
  ].filter((text) => text !== "");
  const head = [printableName(name), printable(type), ...remarks.map((text) => page.paint("faint", text))];
  const told =
    typeof description === "string" ? textLines(description, page).map((line) => `      ${line}\n`) : [];
  return [`  ${head.join("  ")}\n`, ...told];
}

/** An argument that has to be given, as it is typed. */
function exampleOf({ name, type, schema }: ToolArgument): string {
  const { enum: values, default: usual } = isRecord(schema) ? schema : {};
  const value: unknown = usual ?? (Array.isArray(values) ? values[0] : undefined);
  if (typeof value === "string") return typedWord(`${name}=${value}`);
  if (value !== undefined) return typedWord(`${name}:=${JSON.stringify(value)}`);
  if (type === "string") return typedWord(`${name}=…`);
  if (type === "number") return typedWord(`${name}=1`);
  if (type === "boolean") return typedWord(`${name}=true`);
  return typedWord(`${name}:=${type.endsWith("[]") ? "[]" : "{}"}`);
}

/** A word that a person can copy. */
function typedWord(text: string): string {
  const [, head = "", rest = text] = /^([\w.-]+=)(.*)$/s.exec(text) ?? [];
  return text === `${head}…` ? text : head + shellWord(rest);
}

/** A text of a server as lines that fit the page. */
function textLines(text: string, { columns }: Page): readonly string[] {
  const lines = printable(text).trim().split("\n");
  return lines.flatMap((line) =>
    columns === Number.POSITIVE_INFINITY ? [line] : wrapWords(line, columns - 8, cellsOf),
  );
}

/** A description below a signature: the first line of it on a terminal, all of it in a pipe or where there is room for it. */
export function shownDescription(
  tool: ToolDescriptor,
  { columns }: Page,
  isWhole: boolean,
): readonly string[] {
  const text = printableLine(tool.description, Number.POSITIVE_INFINITY);
  if (text === "") return [];
  if (columns === Number.POSITIVE_INFINITY) return [text];
  return isWhole ? wrapWords(text, columns - 4, cellsOf) : [fitCells(text, columns - 4)];
}
