import { ResolvedRemoteServer, Implementation, Connector, HostHandlers } from "@jackfield/mcp-core";
interface TlsOptions {
    readonly ca?: string | readonly string[] | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly passphrase?: string | undefined;
}
interface HttpOptions {
    readonly fetch?: typeof globalThis.fetch | undefined;
    readonly tls?: TlsOptions | undefined;
    readonly proxy?: boolean | undefined;
}
type HttpOptionsSource = HttpOptions | ((server: ResolvedRemoteServer) => HttpOptions);
interface ConnectorOptions {
    readonly clientInfo?: Implementation | undefined;
    readonly processRecord?: {
        readonly directory: string;
    } | undefined;
    readonly http?: HttpOptionsSource | undefined;
}
declare function createConnector(options?: ConnectorOptions): Connector;
declare function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]>;
interface ProcessIdentity {
    readonly pid: number;
    readonly start: string;
}
interface RecordedTree {
    readonly server: string;
    readonly command: string;
    readonly processes: readonly ProcessIdentity[];
}
interface Leftover extends RecordedTree {
    readonly hostPid: number;
}
declare function findLeftovers(options: {
    readonly directory: string;
}): Promise<readonly Leftover[]>;
declare function endLeftovers(leftovers: readonly Leftover[]): Promise<readonly Leftover[]>;
export { createConnector, endLeftovers, findLeftovers, fixedRoots };
export type { ConnectorOptions, HttpOptions, HttpOptionsSource, Leftover, ProcessIdentity, RecordedTree, TlsOptions };
