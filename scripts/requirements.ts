import { parseArgs } from 'node:util'
import { findProofs } from './requirements/proofs.ts'
import { readTable } from './requirements/table.ts'

// npm run requirements [-- ID...] [--json]: lists ids with their sentence and the tests that name them; `UX` selects every id with that
// prefix.
const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const proofs = findProofs(new URL('..', import.meta.url))
const table = readTable()
const isWanted = (id: string): boolean =>
  positionals.length === 0 ||
  positionals.some((wanted) => id === wanted || (!/\d$/.test(wanted) && id.startsWith(wanted)))
const wrong = positionals.find((wanted) => !table.some(({ id }) => id === wanted || id.startsWith(wanted)))
if (wrong !== undefined) {
  console.error(`No requirement has the id ${JSON.stringify(wrong)}. Ids are in docs/reference/requirements.md.`)
  process.exit(2)
}
const chosen = table.filter(({ id }) => isWanted(id)).map((one) => ({ ...one, tests: proofs.get(one.id) ?? [] }))
if (values.json) console.log(JSON.stringify(chosen, undefined, 2))
else {
  for (const { id, text, tests, untested } of chosen) {
    console.log(`${id}: ${text}`)
    for (const { file, name } of tests) console.log(`  ${file}: ${name}`)
    if (tests.length === 0) console.log(`  no test: ${untested}`)
  }
  const bare = chosen.filter(({ tests }) => tests.length === 0)
  console.log(`\n${chosen.length - bare.length} of ${chosen.length} ids have a test.`)
}
