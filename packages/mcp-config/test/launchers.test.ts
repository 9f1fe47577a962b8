import { describe, expect, test } from "vitest";
import { takesFromFolder } from "../src/resolve/launchers.ts";

function takes([command = "", ...args]: readonly string[], isForFolder = false): boolean {
  return takesFromFolder({ command, args, isForFolder });
}

describe("a program that takes code, packages or settings from the folder it starts in", () => {
  test.each([
    ...[
      "npx -y pkg",
      "npx.cmd pkg",
      "NPX pkg",
      "/usr/bin/npx pkg",
      "C:\\nodejs\\npx.CMD pkg",
      "npm exec pkg",
    ],
    ...[
      "npm x pkg",
      "pnpm dlx pkg",
      "pnpm exec pkg",
      "yarn dlx pkg",
      "bunx pkg",
      "bun x pkg",
      "bun /abs/x.js",
    ],
    ...["deno run npm:pkg", "deno run /abs/x.ts", "uvx pkg", "uv run x", "uv tool run pkg", "pipx run pkg"],
    ...[
      "python -m pkg",
      "python3 -mpkg",
      "/usr/bin/python3.12 -u -m pkg",
      "python script.py",
      "python ./script.py",
    ],
    ...[
      "python",
      "py -3.12 -m pkg",
      "ruby -r ./x /abs/y.rb",
      "ruby -rx /abs/y.rb",
      "gem exec x",
      "bundle exec x",
    ],
    ...[
      "node -r x /abs/y.js",
      "node --import ./x /abs/y.js",
      "node --import=x /abs/y.js",
      "node --run start",
    ],
    ...[
      "node --env-file=.env /abs/y.js",
      "node server.js",
      "node ./server.js",
      "node ../server.js",
      "node -e 1",
    ],
    ...["node /usr/lib/node_modules/npm/bin/npx-cli.js pkg", "node /usr/lib/pnpm/bin/pnpm.cjs dlx pkg"],
    ...[
      "tsx /abs/x.ts",
      "ts-node /abs/x.ts",
      "/abs/node_modules/.bin/tsx /abs/x.ts",
      "node /abs/.bin/tsx /x.ts",
    ],
    ...[
      "dotnet run",
      "dnx pkg",
      "go run .",
      "cargo run",
      "docker compose up",
      "docker --context x compose up",
      "make",
    ],
    ...[
      "java Main",
      "php x.php",
      "perl -MX -e 1",
      "lua -l x /abs/y.lua",
      "docker-compose up",
      "corepack pnpm dlx x",
    ],
    ...[
      "env X=y npx pkg",
      "/usr/bin/env -S npx pkg",
      "nice -n 5 npx pkg",
      "sudo -u me npx pkg",
      "env nice sudo npx x",
    ],
    ...["timeout 5 python3 -m pkg", "env node server.js", "cmd /c npx pkg", "powershell -Command npx pkg"],
    ...[
      "supergateway --stdio uvx pkg",
      "node /abs/supergateway.js --stdio npx",
      "python -I -m uv tool run pkg",
    ],
    ...[
      "mise exec -- my-server",
      "mise x node@22 -- node /abs/server.js",
      "asdf exec node /abs/server.js",
      "nix run github:me/server",
      "nix-shell --run my-server",
      "poetry run my-server",
      "pipenv run my-server",
      "npm run mcp",
      "npm start",
      "yarn mcp",
      "volta run node /abs/server.js",
      "fnm exec node /abs/server.js",
      "rustup run stable my-server",
      "direnv exec . my-server",
      "dotenvx run -- my-server",
      "conda run -n x my-server",
      "node --loader ts-node/esm /abs/server.ts",
      "node --experimental-loader=x /abs/server.js",
      "node --env-file-if-exists=.env /abs/server.js",
      "start /b npx pkg",
      "wsl npx pkg",
    ],
    ...[
      "R -f /abs/x.R",
      "Rscript /abs/x.R",
      "Rscript --vanilla -e 1",
      "lua5.4 /abs/x.lua",
      "php8.2 /abs/x.php",
    ],
    ...["busybox sh -c x", "op run -- npx pkg", "mcp run server.py", "podman --log-level x compose up"],
  ])("%s does", (line) => {
    expect(takes(line.split(" "))).toBe(true);
  });

  test.each([
    ["a shell's command line", ["sh", "-c", "npx pkg"]],
    ["one that spells the launcher in parts", ["bash", "-c", 'n""px pkg']],
    ["one behind another program", ["nice", "sh", "-c", "exec npx pkg"]],
    ["a command line in one argument", ["env", "-S", "X=1 'npx' -y pkg"]],
    ["the same for a proxy", ["mcp-proxy", "--", "uvx pkg"]],
  ])("%s does", (_what, line) => {
    expect(takes(line)).toBe(true);
  });

  test.each([
    ...[
      "my-server",
      "/usr/local/bin/my-server --root .",
      "my-server npx",
      "node /abs/server.js",
      "node /abs/s.js npx",
    ],
    ...["node --no-warnings --max-old-space-size=4096 /abs/server.js ./data", "python3 /abs/server.py -m x"],
    ...[
      "python3 -u /abs/server.py",
      "python3 -I -m pkg",
      "python3 -P -m pkg",
      "sh /abs/server.sh",
      "docker run -i image",
    ],
    ...[
      "java -jar /abs/server.jar",
      "env X=y my-server mcp",
      "sudo docker run -i image",
      "nice node /abs/server.js",
      "C:\\x\\node.exe C:\\x\\server.js",
    ],
  ])("%s does not, so it works in the folder", (line) => {
    expect(takes(line.split(" "))).toBe(false);
  });
});

describe("an entry that was written for the folder", () => {
  test.each([
    ...[
      "node ./server.mjs",
      "node server.mjs",
      "node --watch server.mjs",
      "node -r dotenv/config ./server.mjs",
    ],
    ...["python server.py", "python3 -u ./server.py", "sh ./server.sh", "env X=1 node ./server.mjs"],
    ...["Rscript ./server.R", "lua server.lua", "php server.php"],
    ...["tsx ./server.ts", "tsx watch ./server.ts", "deno run -A ./server.ts", "bun run ./server.ts"],
  ])("%s names a script there, so it starts there", (line) => {
    expect(takes(line.split(" "), true)).toBe(false);
  });

  test.each([
    ...[
      "npx -y pkg ./data",
      "npx tsx ./server.ts",
      "uvx pkg .",
      "bunx pkg ./data",
      "bun x pkg ./data",
      "python -m x",
    ],
    ...[
      "python -m pkg ./data",
      "python -c 1",
      "node -e 1 ./x",
      "node --run x",
      "deno run npm:pkg ./data",
      "go run .",
    ],
    ...["node -r x /abs/y.js", "sudo npx pkg ./data", "sh -c ./start.sh"],
  ])("%s takes something else from there, so it does not", (line) => {
    expect(takes(line.split(" "), true)).toBe(true);
  });
});
