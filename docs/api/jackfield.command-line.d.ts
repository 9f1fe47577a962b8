import { Writable, Readable } from "node:stream";
declare function keepCompiledModules(): void;
type Output = Writable & {
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
    readonly rows?: number | undefined;
};
interface Terminal {
    readonly stdout: Output;
    readonly stderr: Output;
    readonly stdin?: (Readable & {
        readonly isTTY?: boolean | undefined;
    }) | undefined;
}
declare function runCommandLine(argv: readonly string[], terminal?: Terminal): Promise<number>;
export { keepCompiledModules, runCommandLine };
