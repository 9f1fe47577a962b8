/**
 * OAuth for remote servers: logins, where they are kept, and their renewal.
 */
export type { AuthChallenge, AuthPort, CredentialOptions } from "@jackfield/mcp-core";
export { type BrowserOpenerOptions, openInBrowser } from "./callback/browser-opener.ts";
export { type CrossAppAccessOptions, crossAppAccess } from "./cross-app-access.ts";
export { createOAuth, type OAuth, type WhoseLogin } from "./oauth.ts";
export type {
  AssertionRequest,
  AuthorizationRequest,
  BeginLoginOptions,
  BegunLogin,
  CallbackOptions,
  EntrySettings,
  FinishedLogin,
  FinishLoginOptions,
  LoginOptions,
  LoginResponse,
  MakeAssertion,
  OAuthOptions,
  ShowAuthorizationPage,
} from "./oauth-options.ts";
export { createFileVault, type FileVaultOptions } from "./vault/file-vault.ts";
export { type KeyvTokenVaultOptions, keyvTokenVault } from "./vault/keyv-token-vault.ts";
export { createMemoryVault } from "./vault/memory-vault.ts";
export type {
  CredentialSummary,
  StoredCredential,
  TokenVault,
  VaultKey,
  VaultNotes,
} from "./vault/token-vault.ts";
