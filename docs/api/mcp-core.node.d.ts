import * as node_sqlite from "node:sqlite";
import * as node_crypto from "node:crypto";
import * as node_fs from "node:fs";
import { BigIntStats } from "node:fs";
declare const fileSystem: typeof node_fs;
declare function cryptography(): typeof node_crypto;
declare function hasErrorCode(error: unknown, code: string): boolean;
type SqliteModule = typeof node_sqlite;
declare function loadSqlite(): SqliteModule;
declare function sqliteErrorCode(error: unknown): number;
interface CommandSearch {
    readonly platform: NodeJS.Platform;
    readonly path: string;
    readonly pathExt?: string | undefined;
    readonly cwd: string;
    readonly projects?: readonly string[] | undefined;
    isExecutable?(file: string): boolean;
    realPath?(path: string): string;
}
interface CommandFinding {
    readonly file?: string | undefined;
    readonly passedOver?: PassedOver | undefined;
}
interface PassedOver {
    readonly entry: string;
    readonly reason: "relative" | "in-project";
}
declare function findCommand(command: string, search: CommandSearch): CommandFinding;
declare function projectsAmong(directories: readonly string[], home: string, platform: NodeJS.Platform): readonly string[];
declare function withoutRelativeEntries(path: string, platform: NodeJS.Platform): string | undefined;
interface FileLockOptions {
    readonly signal?: AbortSignal | undefined;
    readonly longestWaitMs?: number | undefined;
    readonly isPolite?: boolean | undefined;
}
declare function withFileLock<T>(path: string, work: () => T | Promise<T>, { signal, longestWaitMs, isPolite }?: FileLockOptions): Promise<T>;
declare function tryFileLock(path: string, blockingTimeoutMs?: number): Disposable | undefined;
declare function hearHiddenPool(store: object, heard: (error: unknown) => void): Promise<void>;
interface ProxyChoice {
    readonly proxy?: string | undefined;
    readonly invalidVariable?: string | undefined;
}
declare function chooseProxy(origin: string, environment: NodeJS.ProcessEnv): ProxyChoice;
declare function authoritiesWith(own: string | readonly string[]): string[];
interface PrivateFolderOptions {
    readonly readableByOthers?: boolean | undefined;
    readonly draftLifetimeMs?: number | undefined;
}
type FoundFile = {
    readonly kind: "none";
} | {
    readonly kind: "file";
    readonly bytes: Buffer;
    readonly wasReadable: boolean;
} | {
    readonly kind: "unusable";
    readonly fault: FileFault;
    readonly why: string;
};
interface InspectedFile {
    readonly mark: Pick<BigIntStats, "dev" | "ino" | "mtimeNs">;
    readonly fault: FileFault | undefined;
    readonly wasReadable: boolean;
}
declare const FAULTS: {
    readonly link: "it is a link";
    readonly notAFile: "it is not a file";
    readonly tooLarge: "it is too large";
    readonly othersOwn: "it belongs to another user";
    readonly othersMayWrite: "other users can write to it";
    readonly unreadable: "it cannot be read (EACCES)";
};
type FileFault = keyof typeof FAULTS;
declare class PrivateFolder {
    #private;
    readonly path: string;
    constructor(path: string, options?: PrivateFolderOptions);
    pathOf(name: string): string;
    exists(): boolean;
    prepare(): void;
    names(): readonly string[];
    read(name: string): FoundFile;
    open(name: string): number | Exclude<FoundFile, {
        kind: "file";
    }>;
    inspect(name: string): InspectedFile | undefined;
    create(name: string): number;
    replace(name: string, content: string | Uint8Array): void;
    add(name: string, content: string | Uint8Array): boolean;
    remove(name: string): void;
    move(name: string, newName: string): void;
}
interface WriteOptions {
    readonly mode?: number | undefined;
}
declare function replaceFile(path: string, content: string | Uint8Array, options?: WriteOptions): void;
declare function addFile(path: string, content: string | Uint8Array, options?: WriteOptions): boolean;
declare function isSomebodyElses({ uid }: {
    readonly uid: number | bigint;
}): boolean;
interface StoreClient {
    on(event: "error", listener: (error: unknown) => void): unknown;
}
declare function storeClientsOf<T extends StoreClient>(store: object): readonly T[];
declare function loadUndici<Undici>(): Promise<Undici>;
export { PrivateFolder, addFile, authoritiesWith, chooseProxy, cryptography, fileSystem, findCommand, hasErrorCode, hearHiddenPool, isSomebodyElses, loadSqlite, loadUndici, projectsAmong, replaceFile, sqliteErrorCode, storeClientsOf, tryFileLock, withFileLock, withoutRelativeEntries };
export type { CommandFinding, CommandSearch, FileLockOptions, FoundFile, InspectedFile, PassedOver, PrivateFolderOptions, ProxyChoice, StoreClient };
