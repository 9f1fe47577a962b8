import { expect, test } from "vitest";
import { createState } from "../../src/callback/state.ts";

const SUBJECT = { serverUrl: "https://server.example/mcp", issuer: "https://issuer.example" };

test("[T37] a state is 256 bits in URL-safe characters, and never repeats", () => {
  const values = Array.from({ length: 1_000 }, () => createState(SUBJECT).value);
  expect(new Set(values).size).toBe(1_000);
  for (const value of values) {
    expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(value, "base64url")).toHaveLength(32);
  }
});

test("[T37] a state can be claimed only once", () => {
  const state = createState(SUBJECT);
  expect(state.matches(state.value)).toBe(true);
  state.claim(state.value, SUBJECT);
  expect(state.matches(state.value)).toBe(false);
  expect(() => state.claim(state.value, SUBJECT)).toThrow(/it was used before/);
});

test.each([
  ["another state", (value: string) => `${value.slice(1)}A`, SUBJECT, /does not belong to this login/],
  ["no state", () => "", SUBJECT, /does not belong to this login/],
  [
    "another server",
    (value: string) => value,
    { ...SUBJECT, serverUrl: "https://b.example/" },
    /another server's login/,
  ],
  [
    "another issuer",
    (value: string) => value,
    { ...SUBJECT, issuer: "https://issuer.example/" },
    /another authorization server/,
  ],
])(
  "[T37] a response with %s is refused, and the right one still accepted",
  (_what, present, subject, words) => {
    const state = createState(SUBJECT);
    const claim = () => state.claim(present(state.value), subject);
    expect(claim).toThrow(words);
    expect(claim).toThrow(expect.objectContaining({ code: "MCP_AUTH_REQUIRED" }));
    state.claim(state.value, SUBJECT);
  },
);

test.each([
  [undefined, 600_000],
  [1_000, 1_000],
  [86_400_000, 600_000],
])("[T37] a state expires after ten minutes at most, with lifetimeMs %s", (lifetimeMs, endsAfterMs) => {
  let now = 1_000;
  const state = createState({ ...SUBJECT, lifetimeMs, now: () => now });
  now += endsAfterMs;
  expect(state.matches(state.value)).toBe(true);
  now += 1;
  expect(state.matches(state.value)).toBe(false);
  expect(() => state.claim(state.value)).toThrow(/it came too late/);
});

test("[T37] concurrent logins do not accept each other's state", () => {
  const [one, two] = [createState(SUBJECT), createState(SUBJECT)];
  expect(one.matches(two.value)).toBe(false);
  expect(() => two.claim(one.value)).toThrow();
  one.claim(one.value);
  two.claim(two.value);
});
