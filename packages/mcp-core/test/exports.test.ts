import { expect, it } from "vitest";
import * as core from "../src/index.ts";

it("the package exports exactly these values", () => {
  expect(Object.keys(core).sort()).toEqual([
    "DEFAULT_LIMITS",
    "ERROR_CODES",
    "McpError",
    "REDACTED",
    "canonicalJson",
    "Redactor",
    "beginsLikeKey",
    "credentialsIn",
    "credentialsInText",
    "credentialsOfAuthorization",
    "credentialsOfHeader",
    "decoded",
    "isCredential",
    "isInputRequired",
    "isMcpError",
    "isPlaceholder",
    "isTokenOfUser",
    "looksGenerated",
    "namedArguments",
    "namesCredential",
    "ownCredentials",
    "parseRetryAfter",
    "silentLogger",
    "thrownMessage",
    "thrownText",
    "toMcpError",
    "toolDigest",
    "urlParts",
    "withoutCredentialForms",
  ]);
});
