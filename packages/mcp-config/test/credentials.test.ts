import { describe, expect, test } from "vitest";
import { looksLikeCredential, secretsOfHeader, secretsOfUrls } from "../src/credentials.ts";

test.each([
  "GITHUB_TOKEN",
  "githubToken",
  "OPENAI_API_KEY",
  "apikey",
  "CLIENT_SECRET",
  "DB_PASSWORD",
  "PASSWD",
  "DB_PASS",
  "PG_PWD",
  "Authorization",
  "NPM_AUTH",
  "GITHUB_PAT",
  "SESSION_COOKIE",
  "SENTRY_DSN",
  "AWS_CREDS",
  "MY_JWT",
])("%s looks like a credential", (name) => {
  expect(looksLikeCredential(name)).toBe(true);
});

test.each([
  "PATH",
  "HOME",
  "LOG_LEVEL",
  "PORT",
  "COMPASS",
  "PATTERN",
  "SPIN",
  "PATHEXT",
  "REGION",
  "NODE_ENV",
  "",
])("%j does not look like a credential", (name) => {
  expect(looksLikeCredential(name)).toBe(false);
});

describe("secretsOfHeader", () => {
  test.each([
    ["Bearer abc.def", ["Bearer abc.def", "abc.def"]],
    ["Basic dTpw", ["Basic dTpw", "dTpw"]],
    ["bearer   abc", ["bearer   abc", "abc"]],
    ["plain-key", ["plain-key"]],
    ["two plain words", ["two plain words"]],
    ["Bearer ", []],
    ["basic", []],
    ["Bearer-token ", ["Bearer-token "]],
  ])("of %j", (value, expected) => {
    expect(secretsOfHeader(value)).toEqual(expected);
  });
});

describe("secretsOfUrls", () => {
  test.each([
    ["https://user:pa%20ss@host/x", ["user:pa%20ss", "pa%20ss", "pa ss"]],
    ["https://token@host", ["token", "token", "token"]],
    ["--dsn=postgres://u:p@ss@db:5432/x", ["u:p@ss", "p@ss", "p@ss"]],
    ["https://host/?api_key=abc%21&page=2", ["abc%21", "abc!"]],
    ["https://host/?api%5Fkey=abc", ["abc", "abc"]],
    ["https://user:%zz@host", ["user:%zz", "%zz", "%zz"]],
    ["https://host/a@b?page=c@d", []],
    ["@scope/package@1.2.3", []],
  ])("of %s", (text, expected) => {
    expect(secretsOfUrls(text)).toEqual(expected);
  });
});
