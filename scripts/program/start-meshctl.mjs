// The command `meshctl` of a checkout: from the bundle of exactly these sources if there is one, else from the sources. Plain JavaScript, so
// that it strips no types.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findProgram } from './current-program.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bundle = findProgram(root)
const program =
  bundle === undefined ? new URL('../../cli/main.ts', import.meta.url) : pathToFileURL(`${bundle}/meshctl.js`)
const { main } = await import(program.href)
process.exit(await main(process.argv.slice(2)))
