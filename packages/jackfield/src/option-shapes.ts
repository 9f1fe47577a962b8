import { isRecord, McpError } from "@jackfield/mcp-core";

/** What an option must be, as text and as a check. */
interface Shape {
  readonly what: string;
  fits(value: unknown): boolean;
  /** The shapes of its fields, for an object. */
  readonly fields?: Shapes | undefined;
}

type Shapes = { readonly [option: string]: Shape };

const isFunction = (value: unknown) => typeof value === "function";
const isString = (value: unknown) => typeof value === "string";

const text: Shape = { what: "a string", fits: isString };
const nonEmptyString: Shape = {
  what: "a string that is not empty",
  fits: (value) => isString(value) && value !== "",
};
const flag: Shape = { what: "true or false", fits: (value) => typeof value === "boolean" };
const amount: Shape = {
  what: "a finite number of at least 0",
  fits: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
};
const callable: Shape = { what: "a function", fits: isFunction };

function objectOf(fields: Shapes = {}, what = "an object"): Shape {
  return { what, fits: isRecord, fields };
}

/** Methods are looked up by name, because those of a class are inherited. */
function objectWith(what: string, methods: readonly string[]): Shape {
  const fits = (value: unknown) =>
    isRecord(value) && methods.every((name) => isFunction(value[name as keyof typeof value]));
  return { what, fits };
}

function listOf(what: string, fits: (element: unknown) => boolean): Shape {
  return { what: `a list of ${what}`, fits: (value) => Array.isArray(value) && value.every(fits) };
}

function oneOf(...choices: readonly unknown[]): Shape {
  const names = choices.map((choice) => JSON.stringify(choice));
  return {
    what: `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`,
    fits: (value) => choices.includes(value),
  };
}

/** The fields are those of the first shape; they are checked if the value is an object. */
function either(first: Shape, ...others: readonly Shape[]): Shape {
  const shapes = [first, ...others];
  return {
    what: shapes.map(({ what }) => what).join(" or "),
    fits: (value) => shapes.some(({ fits }) => fits(value)),
    fields: first.fields,
  };
}

const onlyFalse: Shape = { what: "false", fits: (value) => value === false };
const strings = listOf("strings", isString);
const functions = listOf("functions", isFunction);
/** A malformed pattern would match nothing, without any error. */
const patterns = listOf("{ name }, { url } or { argv: [...] }", (pattern) => {
  const [[kind, value] = [], ...others] = isRecord(pattern) ? Object.entries(pattern) : [];
  if (others.length > 0) return false;
  return kind === "argv" ? strings.fits(value) : (kind === "name" || kind === "url") && isString(value);
});
/** A malformed filter would fail for each server and block all of them. */
const filters = listOf(
  "{ name, block }",
  (filter) =>
    isRecord(filter) &&
    "name" in filter &&
    isString(filter.name) &&
    "block" in filter &&
    isFunction(filter.block),
);
const store = objectWith("a StateStore", ["get", "set", "delete", "keys"]);

/** The manager checks its own numbers, together with those of single servers. */
const OPTIONS: Shapes = {
  cwd: text,
  discover: either(
    objectOf({ cwd: text, project: flag, order: strings, home: text, env: objectOf() }),
    onlyFalse,
  ),
  approve: callable,
  approvals: store,
  trust: callable,
  filters: objectOf({
    disabledServers: strings,
    enabledServers: strings,
    allow: patterns,
    deny: patterns,
    exa: flag,
    exaApiKey: callable,
    browser: either(flag, callable),
    more: filters,
  }),
  projectVariables: strings,
  inputs: objectOf(),
  missingVariable: oneOf("fail", "empty", "literal", "host"),
  runCommands: either(objectOf({ timeoutMs: amount, failureBackoffMs: amount }), flag),
  inheritEnv: either(flag, strings),
  cache: either(
    objectOf(
      { path: nonEmptyString, busyTimeoutMs: amount, maxBytes: amount },
      "an object such as { path }, a ToolCache",
    ),
    onlyFalse,
  ),
  startup: objectOf({
    uncached: oneOf("wait", "later"),
    failures: oneOf("keep", "drop", "throw"),
  }),
  retry: objectOf({
    jitter: oneOf("full", "around", "none"),
    restartsAtOnce: flag,
    reviveOnCall: flag,
  }),
  heartbeat: objectOf(),
  limits: objectOf({ trustAnnotations: flag, era: oneOf("legacy", "modern") }),
  guards: either(
    objectOf({
      limits: either(
        objectOf({
          servers: {
            what: "an object of limits by server",
            fits: (value) => isRecord(value) && Object.values(value).every(isRecord),
          },
          store: objectWith("a ResultStore", ["save"]),
        }),
        onlyFalse,
      ),
      cleanTools: flag,
      cleanResults: flag,
      mark: flag,
      found: callable,
      lock: text,
      pins: objectWith("ToolPins", ["policy", "middleware", "saved"]),
      trace: flag,
    }),
    onlyFalse,
  ),
  approval: objectOf({ servers: objectOf(), ask: callable, store, log: callable }),
  use: functions,
  toolPolicies: functions,
  handlers: objectOf({ elicit: callable, sample: callable, roots: callable }),
  auth: objectWith("an AuthPort", ["headers", "onChallenge"]),
  principal: nonEmptyString,
  naming: objectOf({ reserved: strings, strategy: either(text, callable) }),
  connect: callable,
  resolve: callable,
  http: either(objectOf({ proxy: flag, tls: objectOf(), fetch: callable }), callable),
  clientInfo: {
    what: "an object with a name and a version",
    fits: (value) =>
      isRecord(value) &&
      "name" in value &&
      isString(value.name) &&
      "version" in value &&
      isString(value.version),
  },
  log: callable,
  signal: objectWith("an AbortSignal", ["addEventListener", "removeEventListener", "throwIfAborted"]),
};

/**
 * Checks options, which may come from untyped code. Errors in `servers` and `configFiles` are reported like those in other files. Unknown
 * option names are ignored.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid option; its value, which may be secret, is not in the message
 */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw invalid(`The options must be an object, not ${kindOf(options)}.`);
  checkFields(options, OPTIONS, "");
}

function checkFields(given: object, shapes: Shapes, prefix: string): void {
  for (const [name, { what, fits, fields }] of Object.entries(shapes)) {
    const value: unknown = given[name as keyof typeof given];
    if (value === undefined) continue;
    const option = prefix + name;
    if (!fits(value)) throw invalid(`Option "${option}" must be ${what}, not ${kindOf(value)}.`);
    if (fields !== undefined && isRecord(value)) checkFields(value, fields, `${option}.`);
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "this list";
  return typeof value === "object" ? "this object" : `this ${typeof value}`;
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
