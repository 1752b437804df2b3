#!/usr/bin/env node
// The command `mesh` of the published package.
import { fileURLToPath } from 'node:url'
import { start } from './start.mjs'

// As in the image: without these flags the young generation grows to 128 MB, and pages in progress start full collections. V8 reads them
// only at process start.
const flags = ['--heap-growing-percent=100', '--no-memory-reducer', '--max-semi-space-size=4']
await start({ name: 'mesh', module: '../main.js', script: fileURLToPath(import.meta.url), flags })
