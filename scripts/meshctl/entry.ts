import { isSea } from 'node:sea'
import { main } from '#cli/main.ts'

/** `bin/meshctl.mjs` of the package calls it. */
export { main }

// A module of CommonJS has no await at its top.
async function run(): Promise<void> {
  process.exit(await main(process.argv.slice(2)))
}

// oxlint-disable-next-line typescript/no-floating-promises -- an error is reported by Node.js
if (isSea()) void run()
