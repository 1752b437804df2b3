#!/usr/bin/env node
// The command `meshctl` of the published package.
import { fileURLToPath } from 'node:url'
import { start } from './start.mjs'

await start({ name: 'meshctl', module: '../meshctl.cjs', script: fileURLToPath(import.meta.url) })
