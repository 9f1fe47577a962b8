// examples/commonjs.cjs
const { openMcp } = require("jackfield");

async function main() {
  const mcp = await openMcp();
  for (const { name, server } of mcp.tools()) console.log(`${name} of ${server}`);
  await mcp.close();
}
main();
