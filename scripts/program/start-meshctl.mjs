// The command `meshctl` of a checkout: from the bundle of exactly these sources if there is one, else from the sources. Plain JavaScript, so
// that it strips no types.
import { fileURLToPath } from 'node:url'
import { loadMain } from '../pack/bin/load-main.mjs'
import { findProgram } from './current-program.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bundle = findProgram(root)
const main = await loadMain(
  bundle === undefined ? new URL('../../cli/main.ts', import.meta.url).href : `${bundle}/meshctl.cjs`,
)
process.exit(await main(process.argv.slice(2)))
