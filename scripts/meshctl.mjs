#!/usr/bin/env node
// The command `meshctl` of a checkout (`npx meshctl ...`).
import { spawnProgram } from './program/spawn-program.mjs'

spawnProgram('start-meshctl.mjs', [])
