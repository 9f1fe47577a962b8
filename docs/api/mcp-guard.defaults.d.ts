import { ToolListPolicy, CallMiddleware } from "@jackfield/mcp-core";
declare function cleanTools(): ToolListPolicy;
interface ResultLimits {
    readonly maxResultChars?: number | undefined;
    readonly maxBinaryBytes?: number | undefined;
}
interface Provenance {
    readonly server: string;
    readonly tool?: string | undefined;
}
interface ResultStore {
    save(text: string, provenance: Provenance): Promise<string | undefined>;
}
interface LimitResultsOptions extends ResultLimits {
    readonly servers?: Readonly<Record<string, ResultLimits>> | undefined;
    readonly store?: ResultStore | undefined;
}
declare function limitResults(options?: LimitResultsOptions): CallMiddleware;
export { cleanTools, limitResults };
