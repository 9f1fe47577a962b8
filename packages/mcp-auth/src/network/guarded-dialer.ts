import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { McpError } from "@jackfield/mcp-core";
import type { buildConnector } from "undici";
import { addressKind } from "./address-rules.ts";
import { bareHost, endpointRefusal, type NetworkReach, refusalOfAddress } from "./endpoint-url.ts";

/** One address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a host name. */
export type LookUpHost = (hostname: string) => Promise<readonly HostAddress[]>;

/** Authorities and keys of a TLS connection. */
export type TlsKeys = Pick<ConnectionOptions, "ca" | "cert" | "key" | "passphrase">;

/** Opens connections to permitted addresses only. */
export interface GuardedDialer {
  /** The `connect` option of undici's `Agent`. */
  readonly connect: buildConnector.connector;
  /** Ends connections that are still being opened. */
  close(): void;
}

export interface GuardedDialerOptions {
  readonly reach: NetworkReach;
  readonly lookUpHost: LookUpHost;
  readonly connectTimeoutMs: number;
  /** Authorities and keys for an origin. */
  readonly tlsFor: (origin: string) => TlsKeys;
}

/**
 * Checks addresses between the resolver and the socket, which dials exactly those. This defeats DNS rebinding: no name is resolved a
 * second time.
 */
export function createGuardedDialer(options: GuardedDialerOptions): GuardedDialer {
  const { reach, lookUpHost, connectTimeoutMs, tlsFor } = options;
  const lookup = createGuardedLookup(reach, lookUpHost);
  const dialling = new Set<Socket>();
  return {
    connect({ hostname, protocol, port }, callback) {
      const host = bareHost(hostname);
      // A socket does not call `lookup` for an IP address.
      const rule = isIP(host) ? refusalOfAddress(host, addressKind(host), reach) : undefined;
      if (rule) return callback(endpointRefusal(host, rule), null);
      const isTls = protocol === "https:";
      const tls = isTls ? tlsFor(new URL(`https://${hostname}:${port || 443}`).origin) : undefined;
      const socket = openSocket({ host, port: Number(port) || (isTls ? 443 : 80), tls, lookup });
      dialling.add(socket);
      const timer = setTimeout(() => socket.destroy(lateConnection(host)), connectTimeoutMs);
      const settle = (act: () => void) => {
        if (!dialling.delete(socket)) return;
        clearTimeout(timer);
        act();
      };
      socket.setNoDelay(true);
      socket.once(isTls ? "secureConnect" : "connect", () => settle(() => callback(null, socket)));
      socket.on("error", (error) => settle(() => callback(error, null)));
      socket.once("close", () => settle(() => callback(endedConnection(host), null)));
    },
    close() {
      for (const socket of dialling) socket.destroy();
    },
  };
}

interface SocketPlan {
  readonly host: string;
  readonly port: number;
  /** Missing for plain http. */
  readonly tls: TlsKeys | undefined;
  readonly lookup: LookupFunction;
}

function openSocket({ host, port, tls, lookup }: SocketPlan): Socket {
  if (tls === undefined) return connectTcp({ host, port, lookup });
  const servername = isIP(host) ? "" : host;
  return connectTls({ ...tls, host, port, lookup, servername, ALPNProtocols: ["http/1.1"] });
}

/**
 * Refuses a name if one of its addresses is forbidden: legitimate names have no such mixture.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`
 */
export function requirePermitted(
  hostname: string,
  addresses: readonly HostAddress[],
  reach: NetworkReach,
): void {
  for (const { address } of addresses) {
    const rule = refusalOfAddress(hostname, addressKind(address), reach);
    if (rule) throw endpointRefusal(hostname, `${rule}, ${address}`);
  }
}

function createGuardedLookup(reach: NetworkReach, lookUpHost: LookUpHost): LookupFunction {
  const findAddresses = async (hostname: string) => {
    const addresses = await lookUpHost(hostname);
    requirePermitted(hostname, addresses, reach);
    return addresses;
  };
  return (hostname, { all }, callback) => {
    findAddresses(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(unknownHost(hostname), []);
        else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

function unknownHost(hostname: string): McpError {
  return new McpError("MCP_CONNECT_FAILED", `${hostname} has no address.`);
}

function lateConnection(hostname: string): McpError {
  return new McpError("MCP_CONNECT_TIMEOUT", `${hostname} did not accept the connection in time.`);
}

function endedConnection(hostname: string): McpError {
  return new McpError("MCP_CONNECT_FAILED", `The connection to ${hostname} ended before it was established.`);
}
