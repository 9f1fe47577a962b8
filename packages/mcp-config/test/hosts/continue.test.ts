import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const block = (name: string) => `name: Block\nmcpServers:\n  - name: ${name}\n    command: x\n`;

describe("the folder of blocks", () => {
  test.each(["work/", ""])(
    "has blocks in .yaml, .yml and .json, and whatever else lies there: %j",
    async (folder) => {
      const blocks = `${folder}.continue/mcpServers`;
      const { discover } = await homeWith({
        [`${blocks}/a.yaml`]: block("a"),
        [`${blocks}/b.json`]: { mcpServers: { b: { command: "x" } } },
        [`${blocks}/c.yml`]: block("c"),
        [`${blocks}/a.yaml~`]: block("backup"),
        [`${blocks}/a.yaml.bak`]: block("backup"),
        [`${blocks}/README.md`]: "# Blocks\n\n- one: [\n",
        [`${blocks}/.DS_Store`]: "\u0000\u0000",
        [`${blocks}/.gitkeep`]: "",
        [`${blocks}/folder/d.yaml`]: block("d"),
      });
      const { servers, problems, diagnostics } = await discover({ hosts: ["continue"] });
      expect(servers.map(({ name }) => name)).toEqual(["a", "b", "c"]);
      expect([problems, diagnostics]).toEqual([[], []]);
    },
  );
});
