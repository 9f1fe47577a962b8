import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { type Failure, readFailure } from "../errors/failure.ts";
import { ProtocolFault, RpcError, TransportFault, UNSUPPORTED_PROTOCOL_VERSION } from "../faults.ts";
import type { Unattended } from "../transport.ts";
import type { Connection } from "./connection.ts";
import { MODERN_VERSION } from "./handshake.ts";
import { type RequestOwner, resultOf } from "./pending-request.ts";

/**
 * Asks a server whether it is modern. Whatever it answers that is not a modern answer means that it does not know the question: old
 * servers, gateways and frameworks refuse it in every way. Only what shows that the server cannot be reached at all is thrown.
 *
 * @returns the answer of a modern server, or how another one refused the question
 */
export async function probe(
  connection: Connection,
  _meta: JsonObject,
  timeoutMs: number,
): Promise<{ readonly discover: JsonObject } | { readonly refusal: unknown }> {
  try {
    const discover = await ask(connection, "server/discover", { _meta }, { timeoutMs }).catch((error) => {
      // It names the version that it was asked in: it asks for the same once more (MCP 2026-07-28, "Version Negotiation").
      if (!supportedOf(error).includes(MODERN_VERSION)) throw error;
      return ask(connection, "server/discover", { _meta }, { timeoutMs });
    });
    return isModern(discover) ? { discover } : { refusal: new ProtocolFault("version", NOT_MODERN) };
  } catch (error) {
    // A server that names versions that are newer than what we know; one that names older ones is asked to `initialize`.
    if (error instanceof RpcError && supportedOf(error).some((version) => version >= MODERN_VERSION))
      throw new ProtocolFault("version", error.message);
    if (error instanceof RpcError || error === SILENCE) return { refusal: error };
    if (mayHaveBeenHeard(readFailure(error)) && !connection.isEnded) return { refusal: error };
    throw error;
  }
}

/** Whether the server was reached. Else `initialize` would not reach it either. */
function mayHaveBeenHeard(failure: Failure): boolean {
  switch (failure.kind) {
    case "mcp":
      return false;
    case "transport":
      return failure.facts.kind === "http-refused" || failure.facts.kind === "message-too-large";
    case "network":
      return !failure.neverSent;
    default:
      return true;
  }
}

function isModern({ supportedVersions }: JsonObject): boolean {
  return Array.isArray(supportedVersions) && supportedVersions.includes(MODERN_VERSION);
}

/** The versions that a refusal of ours names. */
function supportedOf(error: unknown): readonly string[] {
  if (!(error instanceof RpcError) || error.code !== UNSUPPORTED_PROTOCOL_VERSION || !isRecord(error.data))
    return [];
  const { supported } = error.data;
  return Array.isArray(supported) ? supported.filter((version) => typeof version === "string") : [];
}

const NOT_MODERN = `its answer to server/discover does not name ${MODERN_VERSION}`;

/** What waiting for an answer ended with. */
const SILENCE = new Error("there was no answer in time");

/** Makes a request of the handshake. */
export async function ask(
  connection: Connection,
  method: string,
  params: JsonObject,
  { timeoutMs = 0, unattended }: { timeoutMs?: number; unattended?: Unattended | undefined },
): Promise<JsonObject> {
  return connection.request({
    method,
    params,
    options: { timeoutMs, maxTotalMs: 0 },
    isHandshake: true,
    unattended,
    owner: HANDSHAKE,
  });
}

const HANDSHAKE: RequestOwner = {
  read: resultOf,
  explain: (end) => {
    if (end.kind === "failed") return end.error;
    return end.kind === "expired" ? SILENCE : new TransportFault({ kind: "output-ended" });
  },
};
