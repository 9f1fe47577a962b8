import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const url = "https://host.example/mcp";
const oauth = {
  issuer: "https://login.example",
  authorizationUrl: "https://login.example/authorize",
  tokenUrl: "https://login.example/token",
  clientId: "c",
  scopes: ["read"],
  resource: false,
};

test("an entry may name its authorization server, and that no resource is sent", async () => {
  const { servers, told } = await parse({ mcpServers: { s: { type: "http", url, oauth } } });
  expect(servers[0]?.definition).toMatchObject({ oauth });
  expect(told).toEqual([]);
});

test.each([
  ["issuer", 1],
  ["authorizationUrl", []],
  ["tokenUrl", {}],
  ["resource", true],
])("%s of another type is told and left out: %j", async (member, value) => {
  const { servers, told } = await parse({
    mcpServers: { s: { type: "http", url, oauth: { ...oauth, [member]: value } } },
  });
  expect(servers[0]?.definition).not.toHaveProperty(["oauth", member]);
  expect(told).toHaveLength(1);
});
