import { OAuthSettings, DefinitionScope, NetworkOptions, NetworkFor, ResolvedRemoteServer, CredentialOptions, Logger, AuthPort, ResolvedServer } from "@jackfield/mcp-core";
export { AuthChallenge, AuthPort, CredentialOptions } from "@jackfield/mcp-core";
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
type ProofKey = {
    readonly [member in "kty" | "crv" | "x" | "y" | "d"]: string;
};
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
    readonly proofKey?: ProofKey | undefined;
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
interface VaultNotes {
    put(id: string, text: string, lifetimeMs: number): Promise<void>;
    read(id: string): Promise<string | undefined>;
    take(id: string): Promise<string | undefined>;
}
interface TokenVault {
    forServer(serverUrl: string, signal?: AbortSignal): Promise<StoredCredential | undefined>;
    write(credential: StoredCredential, expected?: StoredCredential): Promise<unknown>;
    delete(serverUrl: string, expected?: StoredCredential): Promise<boolean>;
    exclusively<T>(serverUrl: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
    claim?(credential: StoredCredential): Promise<boolean>;
    unclaim?(credential: StoredCredential): Promise<void>;
    forPrincipal?(principal: string): TokenVault;
    readonly notes?: VaultNotes | undefined;
    list(): Promise<readonly CredentialSummary[]>;
}
interface EntrySettings {
    readonly settings?: OAuthSettings | false | undefined;
    readonly clientSecretError?: Error | undefined;
    readonly scope?: DefinitionScope | undefined;
    readonly assertion?: MakeAssertion | undefined;
}
interface AssertionRequest {
    readonly server: string;
    readonly issuer: string;
    readonly resource: string;
    readonly scope?: string | undefined;
    readonly principal?: string | undefined;
    readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}
type MakeAssertion = (request: AssertionRequest) => Promise<string>;
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
    readonly http?: NetworkOptions | NetworkFor | undefined;
    readonly settingsOf?: ((server: ResolvedRemoteServer, options: Pick<CredentialOptions, "principal">) => EntrySettings | undefined | Promise<EntrySettings | undefined>) | undefined;
    readonly redirectUri?: string | undefined;
    readonly log?: Logger | undefined;
    readonly now?: (() => number) | undefined;
}
interface LoginOptions {
    readonly signal?: AbortSignal | undefined;
    readonly principal?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly authorize?: ShowAuthorizationPage | undefined;
}
interface BeginLoginOptions {
    readonly session: string;
    readonly scopes?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
}
interface BegunLogin {
    readonly url: string;
    readonly lifetimeMs: number;
}
interface FinishLoginOptions {
    readonly session: string;
    readonly signal?: AbortSignal | undefined;
}
interface FinishedLogin extends CredentialSummary {
    readonly principal: string;
    readonly server: string;
}
type LoginResponse = string | URL | {
    readonly url?: string | undefined;
};
interface CrossAppAccessOptions {
    readonly identityProvider: string;
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
    readonly idToken: (request: AssertionRequest) => string | Promise<string>;
}
declare function crossAppAccess(options: CrossAppAccessOptions): MakeAssertion;
interface OAuth extends AuthPort, AsyncDisposable {
    headers(server: ResolvedServer, options?: WhoseRequest): Promise<Record<string, string>>;
    account(server: ResolvedServer, options?: WhoseLogin): Promise<string | undefined>;
    login(server: ResolvedServer, options?: LoginOptions): Promise<CredentialSummary>;
    beginLogin(principal: string, server: ResolvedServer, options: BeginLoginOptions): Promise<BegunLogin>;
    finishLogin(response: LoginResponse, options: FinishLoginOptions): Promise<FinishedLogin>;
    logout(server: ResolvedServer, options?: WhoseLogin): Promise<boolean>;
    close(): Promise<void>;
}
type WhoseLogin = Pick<CredentialOptions, "principal"> | undefined;
type WhoseRequest = Partial<Parameters<AuthPort["headers"]>[1]> | undefined;
declare function createOAuth(options?: OAuthOptions): OAuth;
interface FileVaultOptions {
    readonly directory: string;
    readonly log?: Logger | undefined;
}
declare function createFileVault(options: FileVaultOptions): TokenVault;
type SharedStore = object;
interface KeyvTokenVaultOptions {
    readonly key: Uint8Array | readonly Uint8Array[];
    readonly namespace?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly log?: Logger | undefined;
}
declare function keyvTokenVault(store: SharedStore, options: KeyvTokenVaultOptions): TokenVault;
declare function createMemoryVault(): TokenVault;
export { createFileVault, createMemoryVault, createOAuth, crossAppAccess, keyvTokenVault, openInBrowser };
export type { AssertionRequest, AuthorizationRequest, BeginLoginOptions, BegunLogin, BrowserOpenerOptions, CallbackOptions, CredentialSummary, CrossAppAccessOptions, EntrySettings, FileVaultOptions, FinishLoginOptions, FinishedLogin, KeyvTokenVaultOptions, LoginOptions, LoginResponse, MakeAssertion, OAuth, OAuthOptions, ShowAuthorizationPage, StoredCredential, TokenVault, VaultKey, VaultNotes, WhoseLogin };
