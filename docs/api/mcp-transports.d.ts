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
    readonly http?: HttpOptionsSource | undefined;
}
declare function createConnector(options?: ConnectorOptions): Connector;
declare function fixedRoots(paths: readonly string[]): NonNullable<HostHandlers["roots"]>;
interface Orphan {
    readonly server: string;
    readonly pid: number;
}
declare function findOrphans(servers: readonly {
    readonly name: string;
    readonly command: string;
    readonly args: readonly string[];
}[]): readonly Orphan[];
export { createConnector, findOrphans, fixedRoots };
export type { ConnectorOptions, HttpOptions, HttpOptionsSource, Orphan, TlsOptions };
