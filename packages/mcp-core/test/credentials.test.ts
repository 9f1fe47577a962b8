import { describe, expect, test } from "vitest";
import {
  credentialsIn,
  credentialsOfHeader,
  isCredential,
  isPlaceholder,
  namedArguments,
  namesCredential,
} from "../src/index.ts";

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
  ...[
    "CLIENT_SECRET",
    "clientSecrets",
    "DB_PASSWORD",
    "DB_PASSWD",
    "PGPASSWORD",
    "dbPass",
    "PG_PWD",
    "DB_PASS_PROD",
  ],
  ...["Authorization", "Proxy-Authorization", "NPM_CONFIG__AUTH", "_authToken", "X-Auth", "OAUTH2_TOKEN"],
  ...["GITHUB_PAT", "CARD_PIN", "Cookie", "SENTRY_DSN", "AWS_CREDS", "GOOGLE_APPLICATION_CREDENTIALS", "OTP"],
  ...["JWT_SECRET", "MY_JWT", "API_KEY_2", "SECRET_KEY_BASE", "API_KEY_PROD", "STRIPE_KEY", "sshkey", "pwd"],
  ...["privateKey", "PRIVATE_KEY", "KEY_PASSWORD", "HOTKEY_SECRET", "CERT_PASSPHRASE", "bearer", "passcode"],
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
  ...[
    "SSH_KEY_PATH",
    "keyPath",
    "TOKEN_FILE",
    "TOKEN_FILE_2",
    "--token-file",
    "SECRET_NAME",
    "keyIds",
    "KEY_NAME",
  ],
  ...[
    "KEYBOARD",
    "KEYBOARD_LAYOUT",
    "MONKEYPATCH",
    "HOTKEY",
    "hotkeys",
    "MONKEY",
    "HOCKEY",
    "KEYCLOAK_REALM",
  ],
  ...["TOKENIZER_MODEL", "MAX_TOKENS", "MAX_OUTPUT_TOKENS", "maxTokens", "TOTAL_TOKENS", "TOKENS_PER_MINUTE"],
  ...[
    "JWT_ISSUER",
    "PUBLIC_KEY",
    "publicKey",
    "COOKIE_DOMAIN",
    "SSH_AUTH_SOCK",
    "COMPASS",
    "PATTERN",
    "",
    "KEYSPACE",
  ],
  ...[
    "PWD",
    "OLDPWD",
    "PATH",
    "HOME",
    "SPIN",
    "PATHEXT",
    "REGION",
    "SORT_KEY",
    "PARTITION_KEY",
    "SECRET_ARN",
  ],
])("%j is not the name of a credential", (name) => {
  expect(namesCredential(name)).toBe(false);
});

const COMMIT = "c9f5b4dc0e1d2c3b4a5968778695a4b3c2d1e0f9";

describe("a value whose name says nothing", () => {
  test.each([
    "ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8",
    "sk-proj-a1B2c3D4e5F6g7H8i9J0",
    "xoxb-123456789012-abcdefABCDEF12",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz",
    "wJa1rXUtnF3M/K7mD3Nq/bPx9RfiC2Y8dkQ4zTe7",
    "q7Zp0rT2vX9mL4kJ8nB1",
    "3q2-7w8R_a9sD0fG1hJ2kL3zX4cV5bN6",
    "-----BEGIN KEY-----\nqL3sSecret\n-----END KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----",
  ])("is a credential with the form of a generated key: %j", (value) => {
    expect(credentialsIn("SIGNER", value)).toContain(value);
  });

  test.each([
    ...[
      "production",
      "eu-west-1",
      "unknown",
      "string",
      "/home/ada/work",
      "C:\\Users\\Ada",
      "./key.pem",
      "1.2.3-beta.20240101",
    ],
    ...[
      COMMIT,
      `sha256-${COMMIT}`,
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "claude-3-5-sonnet-20241022",
      "128000",
    ],
    ...[
      "subnet-0a1b2c3d4e5f67890",
      "https://mcp.example.com/v1/tools?page=2",
      "my-project-123456-production",
    ],
    ...[
      "2026-11-29T00:10:00.000Z",
      "arn:aws:iam::123456789012:role/reader",
      "sk-learn-model-registry",
      "npm_config_cache_dir_2",
    ],
    ...[
      "postgres://reader@db.example:5432/app",
      "git@github.com:owner/repository.git",
      "https://localhost:3000/@scope/package@1.0",
    ],
    ...[
      "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
      '{"region": "eu", "retries": 3}',
      "a quick brown fox",
      "",
    ],
  ])("is ordinary: %j", (value) => {
    expect(credentialsIn("VALUE", value)).toEqual([]);
  });
});

test.each([
  ["GIT_COMMIT", COMMIT, []],
  ["DEPLOY_TOKEN", COMMIT, [COMMIT]],
  ["GOOGLE_APPLICATION_CREDENTIALS", "/home/ada/key.json", []],
  ["AUTH", "required", []],
  ["API_TOKENS", "128000", []],
  ["CARD_PIN", "123456", ["123456"]],
  ["MY_KEY", "YOUR_API_KEY", []],
  ["DATABASE_URL", "postgres://app:pass-1@db/app", ["app:pass-1", "app:pass-1", "pass-1", "pass-1"]],
  [
    "DB",
    "postgres://app:p@ss/w#rd@db.example:5432/app",
    ["app:p@ss/w#rd", "app:p@ss/w#rd", "p@ss/w#rd", "p@ss/w#rd"],
  ],
  ["DB", "Server=db;User Id=sa;Password=pass word;", ["pass word"]],
  ["DB", "DRIVER={x};UID=sa;PWD=pass-1", ["pass-1"]],
  ["DB", "host=db user=app password='pass 1'", ["pass 1"]],
  ["DB", "app:pass-1@tcp(db:3306)/app", ["pass-1"]],
  ["DB", "jdbc:sqlserver://db;user=sa;password=pass-1", ["pass-1"]],
  ["WEB", "https://h.example/?api_key=abc%21def&page=2", ["abc%21def", "abc!def"]],
  ["WEB", "https://ada@h.example", []],
  ["CONFIG", '{"user": "ada", "client_secret": "pass-1"}', ["pass-1"]],
  ["LINE", "--header Authorization: Bearer abcdef123456", ["abcdef123456"]],
] as const)("of %s=%s the credentials are %j", (name, value, expected) => {
  const found = credentialsIn(name, value).filter((one) => one.length >= 6);
  expect(found).toEqual(expected);
});

test.each([
  ["Authorization", "Bearer abc.def", ["Bearer abc.def", "abc.def"]],
  ["authorization", "Basic dTpw", ["Basic dTpw", "dTpw", "u:p", "p"]],
  ["X-Api-Key", "plain-key", ["plain-key"]],
  ["Proxy-Authorization", "two plain words", ["two plain words"]],
  ["Authorization", "Bearer ", []],
  ["Authorization", "basic", []],
  ["Cookie", 'sid=first-value; b="second%20value"; c=', ["first-value", "second%20value", "second value"]],
  ["X-Region", "eu-west", []],
  ["X-Author", "Ada Lovelace", []],
] as const)("of the header %s: %s the credentials are %j", (name, value, expected) => {
  expect(credentialsOfHeader(name, value)).toEqual(expected);
});

test.each([
  ...[
    "YOUR_API_KEY",
    "your-api-key",
    "your_api_key_here",
    "<your-token>",
    "[YOUR_TOKEN]",
    "REPLACE_ME",
    "replace-with-your-key",
  ],
  ...[
    "changeme",
    "CHANGE_ME",
    "xxxxxxxx",
    "xxxx-xxxx-xxxx",
    "...",
    "TODO",
    "placeholder",
    "insert-token-here",
    "ENTER_YOUR_KEY",
  ],
  ...["sk-...", "sk-xxxxxxxx", "sk-ant-xxxx", "ghp_XXXXXXXXXXXX", "PASTE_TOKEN_HERE"],
])("%s is a placeholder", (text) => {
  expect(isPlaceholder(text)).toBe(true);
  expect(isCredential("API_KEY", text)).toBe(false);
});

test.each(["hunter22", "correct-horse-battery-staple", "yourtoken1", "x1y2z3", "[abc123]"])(
  "%s is no placeholder",
  (text) => {
    expect(isPlaceholder(text)).toBe(false);
  },
);

test("arguments have the names of their flags or pairs", () => {
  const args = [
    "run",
    "--token",
    "a",
    "--key=b",
    "-e",
    "API_TOKEN=c",
    "--header",
    "X-Key: d",
    "-H",
    "tcp://h:1",
  ];
  const named = namedArguments(args).filter(({ value }) => value !== "");
  expect(named.map(({ name, value }) => `${name}:${value}`)).toEqual([
    ...[":run", "token:a", "key:b", "API_TOKEN:c", "X-Key:d", "H:tcp://h:1"],
  ]);
});

/** At this length, work that grows with its square takes minutes. */
const LENGTH = 200_000;

test.each([
  "?a",
  "&a",
  "://",
  "://a",
  "?a=",
  "@=",
  "a://b:c",
  "=;",
  "Bearer ",
  "-----BEGIN KEY-----",
  "sk-",
  "a@tcp(",
  "=a ",
  "eyJ.",
  "a-",
  "A1",
])("200 kB of %j take linear work", (part) => {
  const text = `https://h.example/?=1${part.repeat(LENGTH / part.length)}`;
  expect(credentialsIn("VALUE", text).length).toBeLessThan(LENGTH);
});
