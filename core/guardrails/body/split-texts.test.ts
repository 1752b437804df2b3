import assert from 'node:assert/strict'
import test from 'node:test'
import { compileGuard } from '../compile-guard.ts'
import { guardBody } from '../guard-body.ts'

const key = 'sk-a1B2c3D4e5F6g7H8i9J0k1L2'
const guard = compileGuard([{ namespace: 'a', name: 'p', rules: [{ name: 'k', action: 'mask', secrets: {} }] }])

async function contentsOf(...contents: readonly (readonly [string, string])[]): Promise<readonly unknown[]> {
  const messages = contents.map(([role, content]) => ({ role, content }))
  const { body } = await guardBody(guard, { model: 'm', messages })
  return (body['messages'] as readonly { readonly content: unknown }[]).map(({ content }) => content)
}

test('R2-N6: a key at the end of a message leaves the message behind it as it is', async () => {
  const found = await contentsOf(['system', `it is ${key}`], ['user', 'hello there'], ['assistant', 'yes'])
  assert.deepEqual(found, ['it is [masked]', 'hello there', 'yes'])
})

test('R2-N6: a key that is split over messages of two roles is masked in each of them', async () => {
  const found = await contentsOf(
    ['system', `it is ${key.slice(0, 12)}`],
    ['user', `${key.slice(12)} there`],
    ['user', 'x'],
  )
  assert.deepEqual(found, ['it is [masked]', ' there', 'x'])
})
