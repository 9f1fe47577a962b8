import { quote, quoteWord } from "../server-name.ts";
import type { EntryDialect, FieldNames } from "./entry-dialect.ts";
import { currentNames } from "./entry-examples.ts";
import type { EntryFields, FaultAt } from "./entry-fields.ts";
import type { WrittenServer } from "./written-server.ts";

/** How the server of an entry is reached. */
export type EntryTransport = WrittenServer["transport"] | "in-process";

/**
 * The transport of an entry: the one its type names. Without a type, a command is `stdio`, and a URL is what the host takes it for.
 * An entry names exactly one way to reach its server.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it names none or several, or if the type is unknown or does not fit.
 */
export function readTransport(
  fields: EntryFields,
  dialect: EntryDialect,
  mayHoldServer: boolean,
  faultAt: FaultAt,
): EntryTransport {
  const target = readTarget(fields, dialect, mayHoldServer, faultAt);
  const rule = dialect.transport;
  const type = rule.field === undefined ? undefined : fields.text(rule.field);
  if (type !== undefined) return typedTransport(type, target, dialect, faultAt);
  if (target.kind === "server") return "in-process";
  if (target.kind === "command") return "stdio";
  if (rule.untypedUrl !== "refused") return rule.untypedUrl;
  const field = rule.field ?? "type";
  const types = Object.keys(rule.types).filter((written) => rule.types[written] !== "stdio");
  const text = `its host requires ${quote(field)} with ${quote(target.field)} for a remote server; add ${quote(field)}: ${types.map(quote).join(" or ")}.`;
  throw faultAt([target.field], text);
}

interface Target {
  readonly kind: "command" | "url" | "server";
  readonly field: string;
}

function typedTransport(type: string, target: Target, dialect: EntryDialect, faultAt: FaultAt) {
  const { transport: rule, fields, outdated } = dialect;
  const field = rule.field ?? "type";
  const transport = Object.hasOwn(rule.types, type) ? rule.types[type] : undefined;
  if (!transport) {
    const known = Object.keys(rule.types).map(quote).join(", ");
    throw faultAt([field], `${quote(field)} is ${quoteWord(type)}, but must be one of ${known}.`);
  }
  const wanted = transport === "stdio" ? "command" : "url";
  if (wanted !== target.kind) {
    const [name = wanted] = currentNames(fields[wanted], outdated);
    const text = `${quote(field)} is ${quote(type)}, which goes with ${quote(name)}, but the entry has ${quote(target.field)}; correct or remove it.`;
    throw faultAt([field], text);
  }
  return transport;
}

function targetIn(
  fields: EntryFields,
  kind: Target["kind"],
  names: FieldNames | undefined,
): Target | undefined {
  const isOne = typeof names === "string";
  const field = isOne ? names : names?.find((name) => fields.has(name));
  return field === undefined || (isOne && !fields.has(field)) ? undefined : { kind, field };
}

/** Says what is missing. Not every host knows both a command and a URL. */
function noTarget(
  command: FieldNames | undefined,
  url: FieldNames | undefined,
  mayHoldServer: boolean,
): string {
  const ways = [
    { names: command, server: "a local server" },
    { names: url, server: "a remote one" },
  ].flatMap(({ names = [], server }) => {
    const [field] = [names].flat();
    return field === undefined ? [] : [{ field: quote(field), server }];
  });
  const missing = ways.map(({ field }) => field).join(" nor ");
  const steps = ways.map(({ field, server }) => (ways.length === 1 ? field : `${field} for ${server}`));
  const inCode = mayHoldServer ? `, or "server" for one in this process` : "";
  return `it has ${ways.length === 1 ? "no" : "neither"} ${missing}; add ${steps.join(" or ")}${inCode}.`;
}

function readTarget(
  fields: EntryFields,
  { fields: { command, url }, outdated }: EntryDialect,
  mayHoldServer: boolean,
  faultAt: FaultAt,
): Target {
  const ofProcess = targetIn(fields, "command", command);
  const ofUrl = targetIn(fields, "url", url);
  const ofInstance = targetIn(fields, "server", mayHoldServer ? "server" : undefined);
  const target = ofProcess ?? ofUrl ?? ofInstance;
  if (!target) {
    throw faultAt([], noTarget(command, currentNames(url, outdated), mayHoldServer));
  }
  const second = ofProcess ? (ofUrl ?? ofInstance) : ofUrl && ofInstance;
  if (second) {
    throw faultAt(
      [second.field],
      `it has both ${quote(target.field)} and ${quote(second.field)}; keep the one you mean.`,
    );
  }
  return target;
}
