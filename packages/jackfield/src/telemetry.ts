import {
  type AuthPort,
  type Connector,
  isMcpError,
  type JsonObject,
  type KnownCredentials,
  type Logger,
  type RequestEnding,
  type ResolvedServer,
  type Session,
  type TraceRequest,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { Attributes, Histogram, Span, SpanContext } from "@opentelemetry/api";

type HideIn = KnownCredentials["hideIn"];
type OpenTelemetry = typeof import("@opentelemetry/api");

/** What a runtime tells OpenTelemetry. */
export interface Telemetry {
  /** The same connector: a span for each connection, each of its requests and each login, and the two histograms. */
  follow(connect: Connector): Connector;
}

/** The bounds that the conventions advise for both histograms, in seconds. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

const HISTOGRAMS = {
  "mcp.client.operation.duration": "The time from an MCP request to its answer.",
  "mcp.client.session.duration": "The time from the beginning of an MCP session to its end.",
};

/** Names and messages come from servers and may be of any length. */
const LONGEST_NAME = 128;
const LONGEST_MESSAGE = 1_000;

/**
 * Follows the semantic conventions for MCP of OpenTelemetry's `semantic-conventions-genai` 0.1.0. Arguments, results, baggage and
 * `mcp.session.id`, which some servers take for a credential, are neither recorded nor sent.
 *
 * @returns `undefined`, and a warning, where the program has no `@opentelemetry/api`
 */
export async function openTelemetry(
  credentials: KnownCredentials,
  log: Logger,
): Promise<Telemetry | undefined> {
  const api = await load(log);
  const hideIn: HideIn = (shown) => credentials.hideIn(shown);
  return api && { follow: (connect) => followed(connect, api, hideIn) };
}

async function load(log: Logger): Promise<OpenTelemetry | undefined> {
  try {
    // webpack would fail where the package is missing, which is allowed.
    return await import(/* webpackIgnore: true */ "@opentelemetry/api");
  } catch (error) {
    const reason = thrownMessage(error);
    log("warn", 'Nothing is traced: "telemetry" needs the package @opentelemetry/api.', { reason });
    return undefined;
  }
}

function followed(connect: Connector, api: OpenTelemetry, hideIn: HideIn): Connector {
  const { context, trace, SpanKind, SpanStatusCode } = api;
  const record = recorder(api);

  const startSpan = (name: string, attributes: Attributes) =>
    trace.getTracer("jackfield").startSpan(name, { kind: SpanKind.CLIENT, attributes });

  const endSpan = (span: Span, failure?: Failure) => {
    if (failure)
      span.setAttributes(failure.attributes).setStatus({ code: SpanStatusCode.ERROR, ...failure.status });
    span.end();
  };

  /** Runs work within a span of its own. */
  const spanned = async <T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
  ): Promise<T> => {
    const span = startSpan(name, attributes);
    try {
      const result = await context.with(trace.setSpan(context.active(), span), () => work(span));
      endSpan(span);
      return result;
    } catch (error) {
      endSpan(span, thrownFailure(error, hideIn));
      throw error;
    }
  };

  const traceRequest =
    (place: Attributes): TraceRequest =>
    ({ id, method, params, protocolVersion }) => {
      const { target, attributes } = requestAttributes(method, params);
      const shared = {
        "mcp.method.name": method,
        ...attributes,
        ...(protocolVersion !== undefined && { "mcp.protocol.version": protocolVersion }),
        ...place,
      };
      const { uri } = params;
      const span = startSpan(target === undefined ? method : `${method} ${target}`, {
        ...shared,
        "jsonrpc.request.id": String(id),
        ...(method.startsWith("resources/") &&
          typeof uri === "string" && { "mcp.resource.uri": hideIn({ uri }).uri }),
      });
      const began = performance.now();
      const spanContext = span.spanContext();
      return {
        meta: api.isSpanContextValid(spanContext) ? traceMeta(spanContext) : undefined,
        within: (send) => context.with(trace.setSpan(context.active(), span), send),
        ended: (ending) => {
          const failure = failureOf(ending, hideIn);
          record("mcp.client.operation.duration", began, { ...shared, ...failure?.attributes });
          endSpan(span, failure);
        },
      };
    };

  const followSession = (session: Session, began: number, place: Attributes) => {
    const attributes = { "mcp.protocol.version": session.handshake.protocolVersion, ...place };
    session.onClose((cause) => {
      const failure = cause && thrownFailure(cause, hideIn);
      record("mcp.client.session.duration", began, { ...attributes, ...failure?.attributes });
    });
  };

  return (server, options) => {
    const place = placeOf(server);
    const login = <T>(work: () => Promise<T>) => spanned(`login ${place[SERVER_NAME]}`, place, work);
    const auth = options.auth && withSpans(options.auth, login);
    return spanned(`connect ${place[SERVER_NAME]}`, place, async (span) => {
      const began = performance.now();
      const session = await connect(server, { ...options, auth, trace: traceRequest(place) });
      span.setAttribute("mcp.protocol.version", session.handshake.protocolVersion);
      followSession(session, began, place);
      return session;
    });
  };
}

/** Records a duration until now. A meter from before the program has set its provider would record nothing for ever. */
function recorder({ metrics }: OpenTelemetry) {
  let provider: ReturnType<typeof metrics.getMeterProvider> | undefined;
  let histograms = new Map<string, Histogram>();
  return (name: keyof typeof HISTOGRAMS, began: number, attributes: Attributes): void => {
    if (provider !== metrics.getMeterProvider()) {
      provider = metrics.getMeterProvider();
      histograms = new Map();
    }
    let histogram = histograms.get(name);
    if (histogram === undefined) {
      const settings = {
        description: HISTOGRAMS[name],
        unit: "s",
        advice: { explicitBucketBoundaries: BOUNDS },
      };
      histogram = metrics.getMeter("jackfield").createHistogram(name, settings);
      histograms.set(name, histogram);
    }
    histogram.record((performance.now() - began) / 1_000, attributes);
  };
}

const SERVER_NAME = "jackfield.server.name";

/** Which server it is, and by what it is reached. */
function placeOf(server: ResolvedServer): Attributes {
  const name = { [SERVER_NAME]: shortened(server.name) };
  if (server.transport === "stdio") return { ...name, "network.transport": "pipe" };
  if (server.transport === "in-process") return name;
  const url = URL.parse(server.url);
  return {
    ...name,
    "network.transport": "tcp",
    "network.protocol.name": "http",
    ...(url && {
      "server.address": url.hostname,
      "server.port": Number(url.port) || (url.protocol === "https:" ? 443 : 80),
    }),
  };
}

function requestAttributes(
  method: string,
  { name }: JsonObject,
): { target?: string; attributes: Attributes } {
  if (typeof name !== "string") return { attributes: {} };
  const target = shortened(name);
  if (method === "tools/call")
    return { target, attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target } };
  return method === "prompts/get"
    ? { target, attributes: { "gen_ai.prompt.name": target } }
    : { attributes: {} };
}

function shortened(name: string): string {
  return name.slice(0, LONGEST_NAME);
}

interface Failure {
  readonly attributes: Attributes;
  readonly status?: { readonly message: string };
}

function failureOf(ending: RequestEnding, hideIn: HideIn): Failure | undefined {
  if ("error" in ending) return thrownFailure(ending.error, hideIn);
  if ("rpcError" in ending) {
    const { code, message } = hideIn({ ...ending.rpcError });
    const attributes = { "error.type": String(code), "rpc.response.status_code": String(code) };
    return { attributes, status: { message: String(message).slice(0, LONGEST_MESSAGE) } };
  }
  return ending.result.isError === true ? { attributes: { "error.type": "tool_error" } } : undefined;
}

function thrownFailure(error: unknown, hideIn: HideIn): Failure {
  const { message } = hideIn({ message: thrownMessage(error) });
  const attributes = { "error.type": isMcpError(error) ? error.code : "_OTHER" };
  return { attributes, status: { message: message.slice(0, LONGEST_MESSAGE) } };
}

/** The fields of W3C Trace Context (version 00), which MCP names for `_meta` (SEP-414). */
function traceMeta({ traceId, spanId, traceFlags, traceState }: SpanContext): JsonObject {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const state = traceState?.serialize();
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state ? { tracestate: state } : {}) };
}

/** The same port; what it does about a challenge, which is to renew a login or to ask for one, is a span. */
function withSpans(auth: AuthPort, login: <T>(work: () => Promise<T>) => Promise<T>): AuthPort {
  return {
    headers: (...asked) => auth.headers(...asked),
    onChallenge: (...challenge) => login(() => auth.onChallenge(...challenge)),
  };
}
