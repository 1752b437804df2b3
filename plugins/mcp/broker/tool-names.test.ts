import assert from 'node:assert/strict'
import test from 'node:test'
import { nameTools } from './tool-names.ts'

const names = (...pairs: readonly (readonly [string, string])[]) =>
  nameTools(pairs.map(([entry, tool]) => ({ entry, tool })))

test('mcp: tools have names that model APIs take, and no two have the same', () => {
  assert.deepEqual(names(['crm', 'find_ticket'], ['web', 'find_ticket']), ['crm_find_ticket', 'web_find_ticket'])
  const long = 'x'.repeat(128)
  const all = names(['a', 'b_c'], ['a_b', 'c'], ['a', 'd.e'], ['a', 'd_e'], ['e', long], ['e', `${long}y`])
  assert.equal(new Set(all).size, all.length)
  for (const name of all) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  assert.equal(all[3], 'a_d_e')
  assert.match(names(['ask', 'human'])[0] ?? '', /^ask_human_[0-9a-f]{8}$/)
})

test('mcp: a tool of another entry does not rename one whose name it does not share', () => {
  const [alone] = names(['crm', 'find.ticket'])
  assert.deepEqual(names(['crm', 'find.ticket'], ['web', 'open'], ['crm', 'find_ticket']).slice(0, 1), [alone])
})
