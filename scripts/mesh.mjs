#!/usr/bin/env node
// The command `mesh` of a checkout (`npx mesh ...`).
import { spawnProgram } from './program/spawn-program.mjs'

// As `npm start` does; V8 reads these flags at process start.
spawnProgram('start.mjs', ['--heap-growing-percent=100', '--no-memory-reducer', '--max-semi-space-size=4'])
