import { describe, expect, it } from "vitest";
import { imageSize } from "../src/image-size.ts";

/** One of each format, as encoders write them. */
const IMAGES: readonly (readonly [name: string, base64: string, width: number, height: number])[] = [
  ["a GIF", "R0lGODlhCQAOAPAAAP8AAAAAACH5BAAAAAAALAAAAAAJAA4AAAIKhI+py+0Po5yqAAA7", 9, 14],
  ["a PNG", "iVBORw0KGgoAAAANSUhEUgAAAAgAAAANAQMAAACuDL17AAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6", 8, 13],
  [
    "a lossy WebP",
    "UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoIAA0AAgA0JaACdLoB+AADsAD+8MQL/yC5YXXI1/8gP+QH/ID/+PIAAAA=",
    8,
    13,
  ],
  ["a lossless WebP", "UklGRhwAAABXRUJQVlA4TA8AAAAvBwADAAcQ/Y/+ByKi/wEA", 8, 13],
  [
    "a WebP with transparency",
    "UklGRmYAAABXRUJQVlA4WAoAAAAQAAAACwAAEAAAQUxQSAoAAAABB1DAiAhERP8DVlA4IDYAAADwAgCdASoMABEAPxFysFAsJqSisAgBgCIJQA7AACBsAAD+5s7f9d4tKNf//LP+8r0Q7/qIAAA=",
    12,
    17,
  ],
  [
    "a JPEG",
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAPAAoDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCUAPWD/9k=",
    10,
    15,
  ],
  [
    "a progressive JPEG",
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wgARCAAQAAsDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBf/aAAwDAQACEAMQAAABkB7H/8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQABBQIf/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQAGPwIf/8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQABPyEf/9oADAMBAAIAAwAAABDz/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQABPxAf/9k=",
    11,
    16,
  ],
];

describe("the size of an image", () => {
  it.each(IMAGES)("is read from %s", (_name, base64, width, height) => {
    expect(imageSize(base64)).toEqual({ width, height });
  });

  it("stands behind a long comment in a JPEG", () => {
    const [, base64 = ""] = IMAGES.find(([name]) => name === "a JPEG") ?? [];
    const bytes = Buffer.from(base64, "base64");
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(0xffff - 2, 120)]);
    const long = Buffer.concat([bytes.subarray(0, 2), comment, comment, bytes.subarray(2)]);
    expect(imageSize(long.toString("base64"))).toEqual({ width: 10, height: 15 });
  });

  it.each(IMAGES)("is unknown if %s ends before it", (_name, base64) => {
    for (const length of [0, 4, 9]) expect(imageSize(base64.slice(0, length))).toBeUndefined();
  });
});
