import type { ServerDefinition } from "@jackfield/mcp-core";
import { type VariableKind, variableKind } from "../entry/loader-variables.ts";
import { type PartPlace, projectRoot } from "../find/project-boundary.ts";
import { withoutDerived } from "./approval-ledger.ts";
import { type LaunchedPackage, launchedPackage } from "./package-pin.ts";
import { counted, quotedText, shortenedText, unitsOf, visibleText } from "./visible-text.ts";

/** What the user is asked to approve: a definition, and what is notable about it. */
export interface ServerApprovalRequest {
  /** Approval covers exactly this content, even if its file changes later. */
  readonly definition: ServerDefinition;
  /** What its command fetches. Neither this nor `env` says that the entry is safe: a pinned package can be anybody's. */
  readonly package: LaunchedPackage;
  /** Each variable of its `env`, and what it does as far as its name tells. */
  readonly env: readonly { readonly name: string; readonly kind: VariableKind }[];
  /** Names in the user's environment, and of answers to inputs, that the approval gives to the entry: exactly these. */
  readonly variables: readonly string[];
  /** The folder in which it would run, as written, else its project's; `undefined` for a server that starts no program. */
  readonly cwd: string | undefined;
  /** The variables in `env` that are not known to be plain data: kinds `loader` and `not-recognised`. */
  readonly dangerousEnv: readonly string[];
  /** What may be other code tomorrow: the package, or the command if it is not recognised. `undefined` for kinds `pinned` and `none`. */
  readonly unpinnedPackage: string | undefined;
  /**
   * The definition as lines of text that cannot be misread, of at most 76 cells of a terminal. Nothing is left out; the last lines
   * repeat the server and, shortened, what would run or be connected to.
   */
  readonly text: string;
}

/**
 * Describes a definition to the user who decides about it.
 *
 * @param platform - default the one this runs on
 */
export function approvalRequest(
  definition: ServerDefinition,
  platform: NodeJS.Platform = process.platform,
): ServerApprovalRequest {
  const written = "env" in definition ? Object.keys(definition.env ?? {}) : [];
  const env = written.map((name) => ({ name, kind: variableKind(name, platform) }));
  const launched = launchedPackage(definition);
  const request = {
    definition,
    package: launched,
    env,
    variables: definition.variables ?? [],
    cwd: definition.transport === "stdio" ? (definition.cwd ?? projectRoot(definition.definedIn)) : undefined,
    dangerousEnv: env.filter(({ kind }) => kind !== "data").map(({ name }) => name),
    unpinnedPackage: launched.kind === "none" || launched.kind === "pinned" ? undefined : launched.name,
  };
  let text: string | undefined;
  return {
    ...request,
    // Made when it is read: a project may bring many entries, of which a person is asked about one after the other.
    get text() {
      text ??= approvalText(request);
      return text;
    },
  };
}

/** How wide the text of a request is, in cells of a terminal. */
const USUAL_COLUMNS = 76;

/** The text of a request for a terminal of that many columns, if it is narrower than usual. */
export function approvalText(request: Omit<ServerApprovalRequest, "text">, columns = USUAL_COLUMNS): string {
  // The last cell of a row is left free: some terminals begin a new row as soon as it is written.
  const width = Math.min(columns - 1, USUAL_COLUMNS);
  return describe(request)
    .flatMap((line) => layOut(line, width))
    .join("\n");
}

/** A longer name would take more than one line of a question. */
const LONGEST_NAME_IN_QUESTION = 40;

/** The sentence above the text of a request. */
export function approvalIntroduction({ definition }: Pick<ServerApprovalRequest, "definition">): string {
  if (definition.transport === "stdio")
    return "A file of this project wants to run a program as an MCP server:";
  return definition.transport === "in-process"
    ? "A file of this project wants to run an MCP server in this process:"
    : "A file of this project wants to connect to an MCP server:";
}

/** The question below the text of a request. */
export function approvalQuestion({ definition }: Pick<ServerApprovalRequest, "definition">): string {
  const name = quotedText(definition.name);
  const subject = name.length <= LONGEST_NAME_IN_QUESTION ? name : "this server";
  if (definition.transport === "stdio") return `May ${subject} run this command?`;
  return definition.transport === "in-process"
    ? `May ${subject} run in this process?`
    : `May ${subject} be connected to?`;
}

/** Something to show: what it is, and the text, in which nothing may be misread. */
interface Line {
  readonly label: string;
  readonly text: string;
  /** How many characters the value in it has, if it may have many. */
  readonly length?: number | undefined;
}

function lineOf(label: string, value: string, before = "", after = ""): Line {
  return { label, text: `${before}${quotedText(value)}${after}`, length: [...value].length };
}

function describe(request: Omit<ServerApprovalRequest, "text">): readonly Line[] {
  const { definition } = request;
  const { name, definedIn } = definition;
  const { file, realFile, line } = definedIn;
  const path = realFile ?? file;
  return [
    lineOf("server", name),
    path === undefined
      ? { label: "file", text: "none" }
      : lineOf("file", path, "", line === undefined ? "" : `, line ${line}`),
    ...partLines(definition),
    ...transportLines(request),
    ...variableLines(definition),
    ...restLines(withoutDerived(definition)),
    ...hintLines(request),
    { label: "", text: "" },
    { label: "in short", text: `${inShort(definition)}${withVariables(definition)}` },
  ];
}

/** What a character outside ASCII takes at most. Too much only makes a line shorter. */
const WIDEST = 2;
const LABEL_CELLS = 8;
/** Begins a line that continues a value. A value never shows this character: it is one of those that are shown as codes. */
const CONTINUED = `${" ".repeat(LABEL_CELLS - 1)}\u2502 `;
/** The length of a value that is longer than this is told before it. */
const LONG = 200;
/** Less room than this does not make a line. */
const NARROWEST = 12;

/**
 * The lines of a label and its text. They are broken here, because where a terminal breaks a line, the next row would begin with
 * whatever the text has there, such as a line of another entry.
 */
function layOut({ label, text, length = 0 }: Line, columns: number): readonly string[] {
  if (label === "") return [""];
  const head = `${label.padEnd(LABEL_CELLS)} `;
  const room = Math.max(columns - CONTINUED.length, NARROWEST);
  const rows = rowsOf(text, room);
  if (length <= LONG && head.length <= CONTINUED.length)
    return rows.map((row, index) => `${index === 0 ? head : CONTINUED}${row}`);
  const told = length > LONG ? `(${counted(length)} characters)` : "";
  return [`${head}${told}`.trimEnd(), ...rows.map((row) => `${CONTINUED}${row}`)];
}

/** Breaks a text between words where that fills at least half of a row; the space stays at the end of its row. */
function rowsOf(text: string, room: number): readonly string[] {
  const rows: string[] = [];
  let row: string[] = [];
  let cells = 0;
  for (const unit of unitsOf(text)) {
    const width = cellsOf(unit);
    if (cells + width > room && row.length > 0) {
      const space = row.lastIndexOf(" ") + 1;
      const end = space * 2 > room ? space : row.length;
      rows.push(row.slice(0, end).join(""));
      row = row.slice(end);
      cells = cellsOf(row.join(""));
    }
    row.push(unit);
    cells += width;
  }
  return [...rows, row.join("")];
}

/** A mark takes none, but is counted as well: there are at most two on a letter. */
function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += character <= "\x7f" ? 1 : WIDEST;
  return cells;
}

const LONGEST_NAME_IN_SHORT = 60;
const LONGEST_WORD_IN_SHORT = 90;
const MOST_WORDS_IN_SHORT = 5;

/** The server, and what would run, so short that both are on the screen with the question below. */
function inShort(definition: ServerDefinition): string {
  const name = shortenedText(definition.name, LONGEST_NAME_IN_SHORT);
  const words = (texts: readonly string[]) =>
    texts.map((text) => shortenedText(text, LONGEST_WORD_IN_SHORT)).join(" ");
  switch (definition.transport) {
    case "stdio": {
      const all = [definition.command, ...(definition.args ?? [])];
      if (all.length <= MOST_WORDS_IN_SHORT) return `${name} would run ${words(all)}`;
      const first = all.slice(0, MOST_WORDS_IN_SHORT - 1);
      const left = `(${counted(all.length - MOST_WORDS_IN_SHORT)} more arguments)`;
      return `${name} would run ${words(first)} ${left} ${words(all.slice(-1))}`;
    }
    case "in-process":
      return `${name} would run in this process`;
    default: {
      const { host } = addressOf(definition.url);
      return `${name} would connect to ${host}: ${words([definition.url])}`;
    }
  }
}

/** Where a URL leads, as the URL standard reads it: the host in ASCII, its port, and a user name, which can pass for a host. */
function addressOf(template: string): { readonly host: string; readonly rest: string } {
  const authority = /^[a-z][a-z0-9+.-]*:[\\/]*([^\\/?#]*)/i.exec(template.trim())?.[1] ?? "";
  if (/[${}]/.test(authority)) return { host: "a host that variables decide", rest: "" };
  const url = URL.parse(template);
  if (!url?.hostname) return { host: "no known host", rest: "" };
  const port = url.port || { "https:": "443", "http:": "80" }[url.protocol];
  const parts = [
    ...(port === undefined ? [] : [`port ${port}`]),
    ...(url.username === "" ? [] : [`user name ${quotedText(url.username)}`]),
    ...(url.password === "" ? [] : ["with a password"]),
  ];
  return { host: quotedText(url.hostname), rest: parts.map((part) => `, ${part}`).join("") };
}

/** A name as it is, if it can be taken for nothing else. */
function nameText(name: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(name) ? name : quotedText(name);
}

/** What is notable, and what nothing is known about: silence would look like safety. */
function hintLines({ package: launched, env }: Omit<ServerApprovalRequest, "text">): readonly Line[] {
  const ofKind = (kind: VariableKind) =>
    env.filter((variable) => variable.kind === kind).map(({ name }) => nameText(name));
  const hints: Line[] = ofKind("loader").map((name) => ({
    label: "warning",
    text: `${name} makes programs load or run other code, or trust other servers`,
  }));
  const unknown = ofKind("not-recognised");
  if (unknown.length > 0)
    hints.push({ label: "unknown", text: `what these variables do: ${unknown.join(", ")}` });
  if (launched.kind === "unpinned") {
    const name = quotedText(launched.name);
    hints.push({ label: "warning", text: `${name} is fetched in its newest version; pin an exact version` });
  }
  if (launched.kind === "not-recognised")
    hints.push({ label: "unknown", text: "what the command runs, and whether that stays the same" });
  return hints;
}

/** For a joined entry: which file wrote which field. */
function partLines({ definedIn: { parts = {} } }: ServerDefinition): readonly Line[] {
  return Object.keys(parts)
    .sort()
    .map((field) => {
      const { scope, file, realFile, root } = parts[field] as PartPlace;
      const folder = root === undefined ? "" : `, for ${quotedText(root)}`;
      const text = `${quotedText(realFile ?? file ?? "none")} (${scope}${folder}): ${nameText(field)}`;
      return { label: "from", text };
    });
}

function transportLines({ definition, cwd }: Omit<ServerApprovalRequest, "text">): readonly Line[] {
  switch (definition.transport) {
    case "stdio":
      return [
        lineOf("command", definition.command),
        ...(definition.args ?? []).map((arg, index) => lineOf(`arg ${index + 1}`, arg)),
        ...(cwd === undefined ? [] : [lineOf("runs in", cwd)]),
      ];
    case "in-process":
      return [{ label: "runs", text: "in this process" }];
    default: {
      const { host, rest } = addressOf(definition.url);
      return [
        lineOf("url", definition.url, "", ` (${definition.transport})`),
        { label: "host", text: `${host}${rest}` },
      ];
    }
  }
}

/** What the approval gives. Each name has a line, where no other can be taken for it. */
function variableLines({ variables = [] }: ServerDefinition): readonly Line[] {
  return variables.map((name) => ({
    label: "gets",
    text: `your ${nameText(name)}`,
    length: [...name].length,
  }));
}

const MOST_NAMES_IN_SHORT = 3;

function withVariables({ variables = [] }: ServerDefinition): string {
  if (variables.length === 0) return "";
  if (variables.length > MOST_NAMES_IN_SHORT)
    return `; it gets ${counted(variables.length)} of your variables`;
  const isShort = ({ length }: string) => length <= LONGEST_NAME_IN_SHORT;
  const names = variables.map((name) =>
    isShort(name) ? nameText(name) : shortenedText(name, LONGEST_NAME_IN_SHORT),
  );
  return `; it gets your ${names.join(", ")}`;
}

const SHOWN_ELSEWHERE = new Set(
  "name definedIn transport command args cwd url server shadows disabledBy variables".split(" "),
);

/** The other fields as JSON, so that the reader sees everything that the approval covers. */
function restLines(definition: ServerDefinition): readonly Line[] {
  return Object.entries(definition).flatMap(([field, value]): readonly Line[] => {
    if (SHOWN_ELSEWHERE.has(field) || value === undefined) return [];
    const label = visibleText(field);
    if (field !== "env" && field !== "headers") {
      const json = JSON.stringify(value);
      return [{ label, text: visibleText(json), length: json.length }];
    }
    return Object.entries(value as Record<string, string>).map(([name, template]) =>
      lineOf(label, template, `${nameText(name)}=`),
    );
  });
}
