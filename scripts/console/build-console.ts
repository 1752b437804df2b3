import { fileURLToPath } from 'node:url'
import { currentPackedConsole } from './current-packed.ts'

// For `scripts/setup.mjs`, so that the first request does not wait for it.
await currentPackedConsole(fileURLToPath(new URL('../..', import.meta.url)))
