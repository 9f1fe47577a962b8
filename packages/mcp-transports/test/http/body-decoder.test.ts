import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { type DecoderHooks, decodeInto } from "../../src/http/body-decoder.ts";

/** More than a decoder takes at once. */
const BODY = gzipSync(Buffer.from(Array.from({ length: 1 << 17 }, (_, index) => (index * 7919) % 251)), {
  level: 0,
});

function decoding() {
  const hooks = { pause: vi.fn(), resume: vi.fn(), onError: vi.fn() } satisfies DecoderHooks;
  const taken = vi.fn();
  const body = decodeInto({ push: taken, end: () => {} }, "gzip", hooks, false);
  return { hooks, taken, body };
}

test("a dropped decoder resumes the body that it paused", () => {
  const { hooks, body } = decoding();
  body.push(BODY);
  expect(hooks.pause).toHaveBeenCalledOnce();
  expect(hooks.resume).not.toHaveBeenCalled();
  body.drop?.();
  expect(hooks.resume).toHaveBeenCalledOnce();
});

test.each([
  ["before any data", false],
  ["in the middle", true],
])("a decoder that is dropped %s passes nothing on and reports no error", async (_, isBegun) => {
  const create = vi.spyOn(process.getBuiltinModule("node:zlib"), "createGunzip");
  const { hooks, taken, body } = decoding();
  if (isBegun) body.push(BODY.subarray(0, 100));
  body.drop?.();
  body.push(BODY.subarray(isBegun ? 100 : 0));
  body.end();
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  expect(create).toHaveBeenCalledTimes(isBegun ? 1 : 0);
  create.mockRestore();
  expect(taken).not.toHaveBeenCalled();
  expect(hooks.pause).not.toHaveBeenCalled();
  expect(hooks.onError).not.toHaveBeenCalled();
});
