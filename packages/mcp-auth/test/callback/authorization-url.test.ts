import { expect, test } from "vitest";
import { checkAuthorizationUrl } from "../../src/callback/authorization-url.ts";

/** Schemes that some program of a user's machine may open. */
const SCHEMES = [
  "javascript",
  "data",
  "vbscript",
  "file",
  "smb",
  "ftp",
  "ftps",
  "sftp",
  "ssh",
  "telnet",
  "ldap",
  "ldaps",
  "gopher",
  "ws",
  "wss",
  "blob",
  "about",
  "chrome",
  "edge",
  "view-source",
  "jar",
  "mailto",
  "tel",
  "sms",
  "facetime",
  "intent",
  "market",
  "itms-services",
  "ms-settings",
  "ms-msdt",
  "ms-officecmd",
  "search-ms",
  "shell",
  "vscode",
  "cursor",
  "slack",
  "zoommtg",
  "steam",
  "x-apple.systempreferences",
  "git",
  "httpsx",
  "https+unix",
] as const;

/** Ways to hide a scheme from a check that only compares beginnings. */
const TRICKS: readonly ((scheme: string) => string)[] = [
  (scheme) => `${scheme}://issuer.example/authorize`,
  (scheme) => `${scheme}:alert(1)//https://issuer.example`,
  (scheme) => `${scheme.toUpperCase()}:alert(1)`,
  (scheme) => `${scheme.slice(0, 1).toUpperCase()}${scheme.slice(1)}://issuer.example`,
  (scheme) => ` ${scheme}:alert(1)`,
  (scheme) => `\t${scheme}:alert(1)`,
  (scheme) => `\n\r${scheme}:alert(1)`,
  (scheme) => `\u0000${scheme}:alert(1)`,
  (scheme) => `\u00a0${scheme}:alert(1)`,
  (scheme) => `\ufeff${scheme}:alert(1)`,
  (scheme) => `${scheme.slice(0, 2)}\t${scheme.slice(2)}:alert(1)`,
  (scheme) => `${scheme.slice(0, 2)}\n${scheme.slice(2)}:alert(1)`,
  (scheme) => `${scheme}\t:alert(1)`,
  (scheme) => `${scheme}:\talert(1)`,
  (scheme) => `${scheme}%3aalert(1)`,
  (scheme) => `${scheme}&colon;alert(1)`,
  (scheme) => `${scheme}:https://issuer.example`,
  (scheme) => `${scheme}:\\\\issuer.example\\share`,
];

test.each(SCHEMES)("[T25] no spelling of %s: reaches a browser", (scheme) => {
  const opened: URL[] = [];
  for (const disguise of TRICKS) {
    const written = disguise(scheme);
    const open = () => opened.push(checkAuthorizationUrl(written));
    expect(open, JSON.stringify(written)).toThrow(expect.objectContaining({ code: "MCP_AUTH_REQUIRED" }));
  }
  expect(opened).toEqual([]);
});

test.each([
  "",
  "https://",
  "//issuer.example/authorize",
  "/authorize",
  "issuer.example/authorize",
  "http://issuer.example/authorize",
  "http://10.0.0.1/authorize",
  "http://localhost.issuer.example/",
  "http://0.0.0.0/",
  "http://127.0.0.1@issuer.example/",
  "https://user@issuer.example/authorize",
  "https://accounts.example:word@issuer.example/authorize",
  "https://issuer.example/ authorize",
  "https://issuer.example/authorize\nhttps://other.example",
  "https://issuer.example/\u202eauthorize",
  "https://issu\u00ader.example/",
  "https://issuer.example/\u0000",
])("[T25] '%s' is refused", (written) => {
  expect(() => checkAuthorizationUrl(written)).toThrow(
    expect.objectContaining({ code: "MCP_AUTH_REQUIRED" }),
  );
});

test.each([
  [
    "https://issuer.example/authorize?client_id=a&scope=b%20c#d",
    "https://issuer.example/authorize?client_id=a&scope=b%20c#d",
  ],
  ["HTTPS://Issuer.Example:443/a/../authorize", "https://issuer.example/authorize"],
  ["https:issuer.example", "https://issuer.example/"],
  ["http://localhost:8080/authorize", "http://localhost:8080/authorize"],
  ["http://127.0.0.1:8080/authorize", "http://127.0.0.1:8080/authorize"],
  ["http://[::1]:8080/authorize", "http://[::1]:8080/authorize"],
  ["https://10.0.0.1/authorize", "https://10.0.0.1/authorize"],
])("[T25] '%s' is accepted as %s", (written, href) => {
  expect(checkAuthorizationUrl(written).href).toBe(href);
  expect(checkAuthorizationUrl(new URL(written)).href).toBe(href);
});

test("[T25] a refusal omits the query and fragment of the URL", () => {
  const open = () => checkAuthorizationUrl("http://issuer.example/authorize?state=secret#secret");
  expect(open).toThrow(
    "http://issuer.example/authorize?… was not opened: http is allowed only to this machine.",
  );
  expect(open).not.toThrow(/secret/);
});
