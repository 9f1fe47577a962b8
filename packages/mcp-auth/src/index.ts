/**
 * OAuth for remote servers: logins, where they are kept, and their renewal.
 */
export type { AuthChallenge, AuthPort } from "@jackfield/mcp-core";
export { type BrowserOpenerOptions, openInBrowser } from "./callback/browser-opener.ts";
export { createOAuth, type OAuth } from "./oauth.ts";
export type {
  AuthorizationRequest,
  CallbackOptions,
  EntrySettings,
  LoginOptions,
  OAuthOptions,
  ShowAuthorizationPage,
} from "./oauth-options.ts";
export { createFileVault, type FileVaultOptions } from "./vault/file-vault.ts";
export { createMemoryVault } from "./vault/memory-vault.ts";
export type { CredentialSummary, StoredCredential, TokenVault, VaultKey } from "./vault/token-vault.ts";
