import {
  type ConversationScript,
  type FaultRecord,
  type RecordedHttpRequest,
  readFaultRecord,
  startHttpFaultServer,
  stdioFaultServer,
} from "@jackfield/test-kit";
import { type Mcp, openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";

/** A runtime with one real server, `s`. */
interface Served extends AsyncDisposable {
  readonly mcp: Mcp;
  /** How many messages with this method have reached the server, as it has written down itself. */
  received(method: string): number;
}

/** Serves over one transport. With `isKilledInCall` the server is gone as soon as a tool is called. */
type Serve = (
  script?: ConversationScript,
  options?: { readonly isKilledInCall?: boolean },
) => Promise<Served>;

/** As a child process. */
export const overStdio: Serve = async (script, { isKilledInCall } = {}) => {
  const folder = temporaryFolder();
  const recordTo = folder.file("record");
  const server = stdioFaultServer({ ...script, recordTo, ...(isKilledInCall ? { dieInCall: true } : {}) });
  const mcp = await openMcp({ cache: false, servers: { s: server } });
  return {
    mcp,
    received: (method) => readFaultRecord(recordTo).filter(isArrivalOf(method)).length,
    async [Symbol.asyncDispose]() {
      await mcp.close();
      folder[Symbol.dispose]();
    },
  };
};

/** Over Streamable HTTP. */
const overHttp: Serve = async (script, { isKilledInCall } = {}) => {
  const fatal = { ...script, silentOn: ["tools/call"] };
  const server = await startHttpFaultServer(isKilledInCall ? fatal : script);
  if (isKilledInCall) void server.received(isRequestOf("tools/call")).then(() => server.close());
  const mcp = await openMcp({ cache: false, servers: { s: { url: server.url } } });
  return {
    mcp,
    received: (method) => server.requests.filter(isRequestOf(method)).length,
    async [Symbol.asyncDispose]() {
      await mcp.close();
      await server.close();
    },
  };
};

/** Both. */
export const TRANSPORTS: readonly (readonly [name: string, serve: Serve])[] = [
  ["stdio", overStdio],
  ["HTTP", overHttp],
];

/** What a model calls one of the server's tools with. */
export function callOf(tool: string, args: Record<string, unknown> = {}) {
  return [{ tool: `mcp__s__${tool}`, args }];
}

function isArrivalOf(method: string) {
  return (record: FaultRecord) => record.event === "received" && record.method === method;
}

function isRequestOf(method: string) {
  return ({ body }: RecordedHttpRequest) => body?.method === method;
}
