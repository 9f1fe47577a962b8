import { expect, test } from "vitest";
import { namesCredential } from "../../src/entries/credential-names.ts";

test.each([
  ...[
    "GITHUB_TOKEN",
    "githubToken",
    "OPENAI_API_KEY",
    "apiKey",
    "apikey",
    "APIKey",
    "X-API-Key",
    "--api-key",
  ],
  ...["CLIENT_SECRET", "clientSecrets", "DB_PASSWORD", "DB_PASSWD", "PGPASSWORD", "dbPass", "PG_PWD"],
  ...["Authorization", "Proxy-Authorization", "NPM_CONFIG__AUTH", "_authToken", "X-Auth", "OAUTH2_TOKEN"],
  ...["GITHUB_PAT", "CARD_PIN", "Cookie", "SENTRY_DSN", "AWS_CREDS", "GOOGLE_APPLICATION_CREDENTIALS"],
  ...["JWT_SECRET", "MY_JWT", "API_KEY_2", "SECRET_KEY_BASE", "API_KEY_PROD", "STRIPE_KEY", "sshkey"],
  ...["privateKey", "PRIVATE_KEY", "KEY_PASSWORD", "HOTKEY_SECRET", "CERT_PASSPHRASE", "bearer"],
  ...[
    "--keypass",
    "KEYSTOREPASS",
    "XAUTH",
    "DB_PASSWORT",
    "MAX_API_KEY",
    "NEXT_PUBLIC_API_SECRET",
    "API_KEY_ENV",
  ],
])("%s is the name of a credential", (name) => {
  expect(namesCredential(name)).toBe(true);
});

test.each([
  ...["AUTHOR", "GIT_AUTHOR_NAME", "AUTHENTICATION_METHOD", "AUTH_MODE", "AUTH_URL", "OAUTH_SCOPES"],
  ...["SSH_KEY_PATH", "keyPath", "TOKEN_FILE", "TOKEN_FILE_2", "--token-file", "SECRET_NAME", "keyIds"],
  ...[
    "KEYBOARD_LAYOUT",
    "MONKEYPATCH",
    "HOTKEY",
    "hotkeys",
    "MONKEY",
    "HOCKEY",
    "KEYCLOAK_REALM",
    "KEYSPACE",
  ],
  ...["TOKENIZER_MODEL", "MAX_TOKENS", "MAX_OUTPUT_TOKENS", "maxTokens", "TOTAL_TOKENS", "TOKEN_TYPE"],
  ...["JWT_ISSUER", "PUBLIC_KEY", "publicKey", "COOKIE_DOMAIN", "SSH_AUTH_SOCK", "COMPASS", "PATTERN", ""],
])("%j is not the name of a credential", (name) => {
  expect(namesCredential(name)).toBe(false);
});
