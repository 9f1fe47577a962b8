import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import { type Failure, readFailure } from "../errors/failure.ts";
import { UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";
import type { Unattended } from "../transport.ts";
import type { Connection } from "./connection.ts";
import { ProtocolFault, RpcError } from "./faults.ts";
import { MODERN_VERSION } from "./handshake.ts";
import { type RequestEnd, resultOf } from "./pending-request.ts";

/** Why a server counts as a legacy one: it refused the probe, or ignored it. */
export class ProbeRefusal {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * Asks a server whether it is modern. Whatever it answers that is not a modern answer means that it does not know the question: old
 * servers, gateways and frameworks refuse it in every way. Only what shows that the server cannot be reached at all is thrown.
 */
export async function probe(connection: Connection, _meta: JsonObject, timeoutMs: number): Promise<unknown> {
  try {
    const discover = await ask(connection, "server/discover", { _meta }, { timeoutMs }).catch((error) => {
      // It names the version that it was asked in: it asks for the same once more (MCP 2026-07-28, "Version Negotiation").
      if (!supportedOf(error).includes(MODERN_VERSION)) throw error;
      return ask(connection, "server/discover", { _meta }, { timeoutMs });
    });
    return isModern(discover) ? discover : new ProbeRefusal(new ProtocolFault("version", NOT_MODERN));
  } catch (error) {
    // A server that names versions that are newer than what we know; one that names older ones is asked to `initialize`.
    if (error instanceof RpcError && supportedOf(error).some((version) => version >= MODERN_VERSION))
      throw new ProtocolFault("version", error.message);
    if (error instanceof RpcError || error === SILENCE) return new ProbeRefusal(error);
    if (mayHaveBeenHeard(readFailure(error)) && !connection.isEnded) return new ProbeRefusal(error);
    throw error;
  }
}

/** Whether the server was reached. Else `initialize` would not reach it either. */
function mayHaveBeenHeard(failure: Failure): boolean {
  switch (failure.kind) {
    case "mcp":
      return false;
    case "channel":
      return failure.facts.kind === "http-refused";
    case "network":
      return !failure.neverSent;
    default:
      return true;
  }
}

function isModern(discover: unknown): boolean {
  return (
    isRecord(discover) &&
    Array.isArray(discover.supportedVersions) &&
    discover.supportedVersions.includes(MODERN_VERSION)
  );
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
    read: resultOf,
    explain: (end: RequestEnd) => {
      if (end.kind === "failed") return end.error;
      return end.kind === "expired" ? SILENCE : new ChannelFault({ kind: "output-ended" });
    },
  });
}
