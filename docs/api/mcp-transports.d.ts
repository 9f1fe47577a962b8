import { JsonObject, NetworkOptions, NetworkFor, Implementation, Connector, HostHandlers } from "@jackfield/mcp-core";
export { TlsOptions } from "@jackfield/mcp-core";
type ClientExtensions = {
    readonly [name: string]: JsonObject;
};
interface HttpOptions extends NetworkOptions {
    readonly fetch?: typeof globalThis.fetch | undefined;
}
type HttpOptionsSource = HttpOptions | NetworkFor<HttpOptions>;
interface Traffic {
    readonly server: string;
    readonly from: "client" | "server" | "stderr";
    readonly text: string;
}
interface ConnectorOptions {
    readonly clientInfo?: Implementation | undefined;
    readonly extensions?: ClientExtensions | undefined;
    readonly http?: HttpOptionsSource | undefined;
    readonly onTraffic?: ((traffic: Traffic) => void) | undefined;
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
export type { ConnectorOptions, HttpOptions, HttpOptionsSource, Orphan, Traffic };
