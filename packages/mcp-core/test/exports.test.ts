import { expect, it } from "vitest";
import * as core from "../src/index.ts";
import * as coreForNode from "../src/node.ts";

it("the package exports exactly these values", () => {
  expect(Object.keys(core).sort()).toEqual([
    "DEFAULT_LIMITS",
    "ERROR_CODES",
    "KeyedQueue",
    "MAX_TIMER_MS",
    "McpError",
    "REDACTED",
    "Redactor",
    "beginsLikeKey",
    "canonicalJson",
    "createDeadline",
    "createTimeSlices",
    "credentialsIn",
    "credentialsInText",
    "credentialsOfAuthorization",
    "credentialsOfHeader",
    "decoded",
    "isCredential",
    "isInputRequired",
    "isMcpError",
    "isPlaceholder",
    "isRecord",
    "isSameJson",
    "isTokenOfUser",
    "mostListed",
    "namedArguments",
    "namesCredential",
    "ownCredentials",
    "parseRetryAfter",
    "raceSignal",
    "setLongTimer",
    "silentLogger",
    "startTimer",
    "thrownMessage",
    "thrownText",
    "toMcpError",
    "toolDigest",
    "urlParts",
    "withoutCredentialForms",
  ]);
});

it("the part for Node exports exactly these values", () => {
  expect(Object.keys(coreForNode).sort()).toEqual([
    "PrivateFolder",
    "addFile",
    "cryptography",
    "fileSystem",
    "hasErrorCode",
    "isSomebodyElses",
    "loadSqlite",
    "replaceFile",
    "sqliteErrorCode",
    "tryFileLock",
    "withFileLock",
  ]);
});
