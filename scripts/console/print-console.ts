import { fileURLToPath } from 'node:url'
import { packConsole } from './pack-console.ts'

// For a BFF that runs from the sources: prints the packed console.
const { packed } = await packConsole(fileURLToPath(new URL('../..', import.meta.url)))
process.stdout.write(packed)
