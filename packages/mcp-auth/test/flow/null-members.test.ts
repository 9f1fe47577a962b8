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

describe("a JSON response", () => {
  it.each([200, 400])(
    "with the status %d loses its top-level null members and nothing else",
    async (status) => {
      const body = { access_token: "null", scope: null, expires_in: 0, more: { inner: null }, list: [null] };
      const { scope: _, ...rest } = body;
      expect(JSON.parse(await read(JSON.stringify(body), status))).toEqual(rest);
    },
  );

  it.each(['{ "access_token": "at" }', "null", "[null]", '"null"', '{"scope":null', ""])(
    "is passed on unchanged if it is %j",
    async (body) => {
      expect(await read(body)).toBe(body);
    },
  );
});
