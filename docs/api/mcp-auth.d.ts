import { OAuthSettings, DefinitionScope, ResolvedRemoteServer, Logger, AuthPort, ResolvedServer } from "@jackfield/mcp-core";
export { AuthChallenge, AuthPort } from "@jackfield/mcp-core";
import { StoredOAuthClientInformation, OAuthTokens } from "@modelcontextprotocol/client";
interface BrowserOpenerOptions {
    readonly command?: readonly [
        program: string,
        ...args: string[]
    ] | undefined;
    readonly platform?: NodeJS.Platform | undefined;
    readonly env?: NodeJS.ProcessEnv | undefined;
}
declare function openInBrowser(url: URL, options?: BrowserOpenerOptions): Promise<void>;
interface VaultKey {
    readonly issuer: string;
    readonly resource: string;
    readonly clientId?: string | undefined;
}
interface StoredCredential extends VaultKey {
    readonly serverUrl: string;
    readonly isSpent?: true | undefined;
    readonly resourceIndicator?: string | undefined;
    readonly configuredResource?: string | undefined;
    readonly loginId?: string | undefined;
    readonly client: StoredOAuthClientInformation;
    readonly tokens: OAuthTokens;
    readonly scopes: readonly string[];
    readonly obtainedAt: number;
    readonly expiresAt?: number | undefined;
}
interface CredentialSummary extends VaultKey {
    readonly serverUrl: string;
    readonly scopes: readonly string[];
    readonly obtainedAt: number;
    readonly expiresAt?: number | undefined;
    readonly isRefreshable: boolean;
}
interface TokenVault {
    forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined>;
    write(credential: StoredCredential): Promise<void>;
    delete(serverUrl: string, expected?: StoredCredential): Promise<boolean>;
    exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
    list(): Promise<readonly CredentialSummary[]>;
}
interface EntrySettings {
    readonly settings?: OAuthSettings | false | undefined;
    readonly clientSecretError?: Error | undefined;
    readonly scope?: DefinitionScope | undefined;
}
interface AuthorizationRequest {
    readonly server: string;
    readonly signal: AbortSignal;
}
type ShowAuthorizationPage = (url: URL, request: AuthorizationRequest) => Promise<void>;
interface CallbackOptions {
    readonly port?: number | undefined;
    readonly path?: string | undefined;
    readonly timeoutMs?: number | undefined;
}
interface OAuthOptions {
    readonly vault?: TokenVault | undefined;
    readonly authorize?: ShowAuthorizationPage | undefined;
    readonly clientName?: string | undefined;
    readonly clientMetadataUrl?: string | undefined;
    readonly callback?: CallbackOptions | undefined;
    readonly loginCommand?: ((name: string) => string) | undefined;
    readonly trustedHosts?: readonly string[] | undefined;
    readonly settingsOf?: ((server: ResolvedRemoteServer) => EntrySettings | undefined | Promise<EntrySettings | undefined>) | undefined;
    readonly log?: Logger | undefined;
    readonly now?: (() => number) | undefined;
}
interface LoginOptions {
    readonly signal?: AbortSignal | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly authorize?: ShowAuthorizationPage | undefined;
}
interface OAuth extends AuthPort, AsyncDisposable {
    account(server: ResolvedServer): Promise<string | undefined>;
    login(server: ResolvedServer, options?: LoginOptions): Promise<CredentialSummary>;
    logout(server: ResolvedServer): Promise<boolean>;
    close(): Promise<void>;
}
declare function createOAuth(options?: OAuthOptions): OAuth;
interface FileVaultOptions {
    readonly directory: string;
    readonly log?: Logger | undefined;
}
declare function createFileVault({ directory, log }: FileVaultOptions): TokenVault;
declare function createMemoryVault(): TokenVault;
export { createFileVault, createMemoryVault, createOAuth, openInBrowser };
export type { AuthorizationRequest, BrowserOpenerOptions, CallbackOptions, CredentialSummary, EntrySettings, FileVaultOptions, LoginOptions, OAuth, OAuthOptions, ShowAuthorizationPage, StoredCredential, TokenVault, VaultKey };
