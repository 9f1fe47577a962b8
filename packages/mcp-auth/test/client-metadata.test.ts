import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizationServer, startProtectedServer, useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { createOAuth } from "../src/index.ts";
import { reach, remoteServer } from "./request.ts";

useLeakCheck();

const PAGE = readFileSync(join(import.meta.dirname, "../docs/client-metadata.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(PAGE)?.[1] ?? "";
const DOCUMENT = JSON.parse(block("json"));
const written = (option: string) => new RegExp(`${option}: "?([^",\\s}]+)`).exec(block("ts"))?.[1] ?? "";
const OPTIONS = {
  clientMetadataUrl: written("clientMetadataUrl"),
  callback: { port: Number(written("port")) },
  redirectUri: written("redirectUri"),
};

it("the document of the page says what a login with the options beside it does", async () => {
  expect(DOCUMENT.client_id).toBe(OPTIONS.clientMetadataUrl);
  await using authority = await startAuthorizationServer({
    metadata: { client_id_metadata_document_supported: true },
    clientAuth: DOCUMENT.token_endpoint_auth_method,
  });
  await using guarded = await startProtectedServer({ authorizationServer: authority });
  const server = remoteServer(guarded.url);
  await using oauth = createOAuth({ ...OPTIONS, authorize: async (url) => void (await fetch(url)) });
  expect(await reach(oauth, server)).toBe(200);
  authority.office.expireAccessTokens();
  expect(await reach(oauth, server)).toBe(200);
  const { url } = await oauth.beginLogin("ada", server, { session: "browser" });
  const [local] = authority.requestsTo("/authorize").map(({ parameters }) => parameters);
  const pages = [local, Object.fromEntries(new URL(url).searchParams)];
  const tokens = authority.requestsTo("/token").map(({ parameters }) => parameters);
  const clients = [...pages, ...tokens].map((parameters) => parameters?.client_id);
  expect(clients).toEqual(Array(4).fill(DOCUMENT.client_id));
  expect(pages.map((parameters) => parameters?.redirect_uri)).toEqual(DOCUMENT.redirect_uris);
  expect(pages.map((parameters) => parameters?.response_type)).toEqual(
    Array(2).fill(DOCUMENT.response_types[0]),
  );
  expect(tokens.map(({ grant_type }) => grant_type)).toEqual(DOCUMENT.grant_types);
  expect(authority.requestsTo("/register")).toEqual([]);
});
