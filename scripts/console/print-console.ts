import { fileURLToPath } from 'node:url'
import { currentPackedConsole } from './current-packed.ts'

// For a BFF that runs from the sources: prints the packed console.
process.stdout.write(await currentPackedConsole(fileURLToPath(new URL('../..', import.meta.url))))
