// The house is a star: docs/decisions/0001-star-of-packages.md.
const adapters = "mcp-ai-sdk|mcp-langchain|mcp-guard";
const star = `mcp-config|mcp-transports|mcp-auth|mcp-tool-cache|mcp-manager|${adapters}`;

module.exports = {
  forbidden: [
    {
      name: "the-contract-depends-on-nothing",
      comment: "mcp-core is what everything else depends on: whatever it imported, every user would install.",
      severity: "error",
      from: { path: "^packages/mcp-core/src", pathNot: "^packages/mcp-core/src/node" },
      to: { pathNot: "^packages/mcp-core/src/(?!node)" },
    },
    {
      name: "the-ground-depends-on-node-only",
      comment:
        "mcp-core/node is for every package, too: it may import the contract, modules of Node.js, and undici, which is part of its build.",
      severity: "error",
      from: { path: "^packages/mcp-core/src/node" },
      to: { pathNot: "^packages/mcp-core/src|/undici/", dependencyTypesNot: ["core"] },
    },
    {
      name: "tools-knows-the-contract-only",
      comment: "mcp-tools is shared by every adapter, so it may import mcp-core and third parties only.",
      severity: "error",
      from: { path: "^packages/mcp-tools/src" },
      to: { path: "^packages/(?!mcp-core/|mcp-tools/)" },
    },
    {
      name: "no-siblings-in-the-star",
      comment:
        "A published package imports mcp-core, mcp-tools where it deals with schemas or results, and third parties; never a sibling. Pass the noun through a port of mcp-core and let the application join the two.",
      severity: "error",
      from: { path: `^packages/(${star})/src` },
      to: { path: "^packages/(?!mcp-core/|mcp-tools/)", pathNot: "^packages/$1/" },
    },
    {
      name: "tests-do-not-ship",
      comment: "test-kit is private: a published package may use it in tests only.",
      severity: "error",
      from: { path: "^packages/(?!test-kit/)[^/]+/src" },
      to: { path: "^packages/test-kit/" },
    },
    {
      name: "packages-do-not-know-applications",
      comment: "An application joins packages; nothing may depend on it.",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^(apps|bench)/" },
    },
    {
      name: "no-cycles",
      comment:
        "Two files that import each other cannot be read apart. Move what both need to a file of its own. What is loaded late may use what loads it.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "dynamic-import"] } },
    },
    {
      name: "no-cycles-of-types-between-packages",
      comment: "Even types must not make two packages depend on each other.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { circular: true, path: "^packages/", pathNot: "^packages/$1/" },
    },
    {
      name: "everything-resolves",
      comment: "An import that cannot be resolved would slip through every other rule.",
      severity: "error",
      from: { pathNot: "/test/" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "(node_modules|/dist/)" },
    exclude: { path: "(/dist/|/test/fixtures/)" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node"] },
  },
};
