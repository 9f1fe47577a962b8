import { isRecord, isSameJson, McpError } from "@jackfield/mcp-core";
import { quote } from "../entry/server-name.ts";
import { describeLocation } from "../find/diagnostics.ts";
import { readConfigFile } from "../find/file.ts";
import { parseHostFile } from "../find/parse-host-file.ts";
import { dialectOf } from "../hosts/host-dialects.ts";
import { parseConfigDocument } from "../read/document.ts";
import type { JsonMap } from "../read/json-value.ts";
import {
  type ChangedServersFile,
  type ChangeServersOptions,
  fileOfHost,
  type ServerChange,
} from "./changed-file.ts";

/** Implements `changeServersFile`. */
export async function changedServers(options: ChangeServersOptions): Promise<ChangedServersFile> {
  const { host = "jackfield", change } = options;
  const dialect = WRITABLE_HOSTS.some((id) => id === host) ? dialectOf(host) : undefined;
  if (dialect === undefined)
    throw invalid(`Servers are written for ${WRITABLE_HOSTS.join(", ")}, not for ${quote(host)}.`);
  const form: WrittenForm = WRITTEN_FORMS[host as keyof typeof WRITTEN_FORMS];
  const file = fileOfHost(dialect, options);
  const format = dialect.format;
  const found = readConfigFile(file, () => {});
  if ("error" in found && found.absence !== "missing") throw found.error;
  const before = "text" in found ? found.text : "";
  const { root: written = {} } = await parseConfigDocument(before, file, format);
  const root = mapOf(written, file);
  const servers = root[form.key] === undefined ? undefined : mapOf(root[form.key], `${file}, "${form.key}"`);
  const current = servers?.[change.name];
  const entry = entryAfter(current, change, form, { file, title: dialect.title });
  const names = { ...servers, [change.name]: entry };
  if (entry === undefined) delete names[change.name];
  const expected = { ...root, [form.key]: names };
  const edited = await edit(before, form, change, { format, current, entry });
  const result = mapOf((await parseConfigDocument(edited, file, format)).root ?? {}, file);
  // TOML has no map of servers once the last of them is gone.
  if (!isSameJson({ ...result, [form.key]: result[form.key] ?? {} }, expected)) {
    const message = `${file} is written in a way that cannot be changed safely; change ${quote(change.name)} in it by hand.`;
    throw invalid(message, change.name);
  }
  if (change.kind === "add") await refuseBroken(edited, { host, file, server: change.name });
  return {
    host,
    title: dialect.title,
    file,
    text: edited,
    entry,
    isChanged: edited !== before,
    isNew: before === "",
  };
}

/** The entry as it is after the change; `undefined` if it is gone. */
function entryAfter(
  current: unknown,
  change: ServerChange,
  form: WrittenForm,
  { file, title }: { readonly file: string; readonly title: string },
): JsonMap | undefined {
  const { name } = change;
  if (change.kind === "add") {
    if (current !== undefined && !change.replaces)
      throw invalid(`${file} has a server ${quote(name)} already; --force replaces it.`, name);
    const entry = writtenEntry(change.server, form);
    if (entry !== undefined) return entry;
    throw invalid(`${title} reads no variables in its file; write the value: --env NAME=VALUE.`, name);
  }
  if (current === undefined) throw unknown(`${file} has no server ${quote(name)}.`, name);
  if (change.kind === "remove") return undefined;
  const { switches } = form;
  const entry = { ...mapOf(current, `${file}, ${quote(name)}`) };
  const [first] = switches ?? [];
  if (switches === undefined || first === undefined)
    throw invalid(
      `${title} keeps no switch in its file; switch ${quote(name)} in ${title}, or remove it.`,
      name,
    );
  for (const [field, off] of switches) if (entry[field] === off) delete entry[field];
  if (change.kind === "enable") return entry;
  const [field, off] = first;
  return { ...entry, [field]: off };
}

/** Changes as little as possible: of a switch its line, of an entry that is replaced the entry. */
async function edit(
  text: string,
  { key, switches = [] }: WrittenForm,
  { kind, name }: ServerChange,
  { format, current, entry }: { format: string; current: unknown; entry: JsonMap | undefined },
): Promise<string> {
  const isSwitch = kind === "enable" || kind === "disable";
  const fields = switches
    .map(([field]) => field)
    .filter((field) => isRecord(current) && isRecord(entry) && current[field] !== entry[field]);
  if (format === "toml") {
    const { editTomlKey, editTomlTable } = await import("./toml-edit.ts");
    if (!isSwitch) return editTomlTable(text, [key, name], entry);
    const path = [key, name];
    return fields.reduce(
      (edited, field) => editTomlKey(edited, path, field, entry?.[field] as boolean | undefined),
      text,
    );
  }
  const { editJson } = await import("./json-edit.ts");
  if (!isSwitch) return editJson(text, [key, name], entry);
  return fields.reduce((edited, field) => editJson(edited, [key, name, field], entry?.[field]), text);
}

/** Refuses an entry that its host, or a file of which this would be a part, would not read. */
async function refuseBroken(
  text: string,
  { host, file, server }: { readonly host: string; readonly file: string; readonly server: string },
): Promise<void> {
  const { diagnostics } = await parseHostFile({ host, file, text });
  const fault = diagnostics.find((one) => one.severity === "error" && one.server === server);
  if (fault !== undefined) throw invalid(`Nothing was written. ${fault.message}`, server);
}

function mapOf(value: unknown, where: string): JsonMap {
  if (isRecord(value)) return value as JsonMap;
  throw invalid(`${describeLocation({ file: where })} is not an object; correct it by hand.`);
}

function invalid(message: string, server?: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config", server });
}

function unknown(message: string, server: string): McpError {
  return new McpError("MCP_SERVER_UNKNOWN", message, { phase: "config", server });
}

/** A server to be written: a program that is started, or an address that is connected to. */
export interface NewServer {
  /** The address of a remote server. One of this and `program` is given. */
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The command and its arguments. */
  readonly program?: readonly string[] | undefined;
  /** Variables of the program. */
  readonly env?: { readonly [name: string]: string } | undefined;
  /** Names of your variables that the program gets: the entry refers to them, and holds no value. */
  readonly envReferences?: readonly string[] | undefined;
}

/** How a host writes servers. */
interface WrittenForm {
  /** The key under which it has them. */
  readonly key: string;
  /** What its entries of remote servers have instead of `type` and `url`. */
  readonly remote?: ((url: string, headers: JsonMap | undefined) => JsonMap) | undefined;
  /** What its entries of programs have in addition. */
  readonly local?: JsonMap | undefined;
  /** How it refers to a variable; missing if it reads none. */
  readonly reference?: ((name: string) => string) | undefined;
  /** The field with the names of variables, for a host that lists them in place of references. */
  readonly listsVariables?: string | undefined;
  /** The fields that switch an entry, with the value that switches it off; the first is written. Missing if it has none. */
  readonly switches?: readonly (readonly [field: string, off: boolean])[] | undefined;
}

const braces = (name: string) => `\${${name}}`;
const bracesOfEnv = (name: string) => `\${env:${name}}`;

/** The hosts in whose files servers can be written. */
const WRITTEN_FORMS = {
  jackfield: {
    key: "mcpServers",
    reference: braces,
    switches: [
      ["disabled", true],
      ["enabled", false],
    ],
  },
  "claude-code": { key: "mcpServers", local: { type: "stdio" }, reference: braces },
  "claude-desktop": { key: "mcpServers" },
  cursor: { key: "mcpServers", remote: (url, headers) => ({ url, headers }), reference: bracesOfEnv },
  vscode: { key: "servers", local: { type: "stdio" }, reference: bracesOfEnv },
  codex: {
    key: "mcp_servers",
    remote: (url, headers) => ({ url, http_headers: headers }),
    listsVariables: "env_vars",
    switches: [["enabled", false]],
  },
  gemini: {
    key: "mcpServers",
    remote: (url, headers) => ({ httpUrl: url, headers }),
    reference: (name) => `$${name}`,
  },
} as const satisfies { readonly [host: string]: WrittenForm };

/** The ids of the hosts in whose files `changeServersFile` writes. */
const WRITABLE_HOSTS = Object.keys(WRITTEN_FORMS);

/** Without the fields that are not given. */
function withoutAbsent(entry: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** The entry of a server as a host writes it; `undefined` if the host reads no variables and the entry would need to. */
function writtenEntry(server: NewServer, form: WrittenForm): JsonMap | undefined {
  const { url, headers, program: [command, ...args] = [], env = {}, envReferences = [] } = server;
  if (url !== undefined) {
    const remote = form.remote ?? ((address, fields) => ({ type: "http", url: address, headers: fields }));
    return withoutAbsent(remote(url, headers));
  }
  const { reference, listsVariables } = form;
  if (envReferences.length > 0 && reference === undefined && listsVariables === undefined) return undefined;
  const references = reference === undefined ? [] : envReferences.map((name) => [name, reference(name)]);
  const all = { ...env, ...Object.fromEntries(references) };
  return withoutAbsent({
    ...form.local,
    command,
    args: args.length === 0 ? undefined : args,
    env: Object.keys(all).length === 0 ? undefined : all,
    ...(listsVariables === undefined || envReferences.length === 0
      ? {}
      : { [listsVariables]: envReferences }),
  });
}
