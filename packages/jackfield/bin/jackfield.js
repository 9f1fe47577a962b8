#!/usr/bin/env node
import { runProgram } from "../dist/commands.js";

await runProgram();
