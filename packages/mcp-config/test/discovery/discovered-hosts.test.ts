import { expect, test } from "vitest";
import { createMap } from "../../src/documents/json-value.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();

test.each([createMap(), null, 1])(
  "a host that is not a string is reported, and the others are read: %o",
  async (odd) => {
    const { discover } = await homeWith({ ".cursor/mcp.json": { mcpServers: { a: { command: "x" } } } });
    const { servers, problems } = await discover({ hosts: [odd as never, "cursor"] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    expect(problems).toMatchObject([{ kind: "ConfigShapeError", definedIn: { pointer: "/hosts" } }]);
  },
);
