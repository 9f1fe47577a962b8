import { describe, expect, it } from "vitest";
import { withoutNullMembers } from "../../src/flow/null-members.ts";

const read = async (body: string, status = 200) => {
  const headers = { "content-type": "application/json", "retry-after": "3" };
  const fetch = withoutNullMembers(async () => new Response(body, { status, headers }));
  const response = await fetch("https://as.example/token");
  expect(response.status).toBe(status);
  expect(response.headers.get("retry-after")).toBe("3");
  return response.text();
};

describe("a successful JSON response", () => {
  it("loses its top-level null members and nothing else", async () => {
    const body = { access_token: "null", scope: null, expires_in: 0, more: { inner: null }, list: [null] };
    const { scope: _, ...rest } = body;
    expect(JSON.parse(await read(JSON.stringify(body)))).toEqual(rest);
  });

  it.each(['{ "access_token": "at" }', "null", "[null]", '"null"', '{"scope":null', ""])(
    "is passed on unchanged if it is %j",
    async (body) => {
      expect(await read(body)).toBe(body);
    },
  );
});

it("an error response is passed on unchanged, including its null members", async () => {
  const body = '{"error":"invalid_grant","error_description":null}';
  expect(await read(body, 400)).toBe(body);
});
