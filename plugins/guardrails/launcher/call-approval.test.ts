import assert from 'node:assert/strict'
import test from 'node:test'
import { createCallApproval } from './call-approval.ts'
import { toModelRequest } from '#launcher/contract/calls/model-request.ts'

const by = { policy: 'a/p', rule: 'r', stage: 'request' } as const

function idOf(body: Readonly<Record<string, unknown>>): string {
  let asked = ''
  const approvals = { decisionOf: () => undefined, request: ({ id }: { readonly id: string }) => void (asked = id) }
  const bytes = Buffer.from(JSON.stringify(body))
  const approval = createCallApproval(approvals as never, toModelRequest('chat/completions', { body, bytes }, 'a'))
  assert.throws(() =>
    approval.enforce({
      decision: 'require_approval',
      by: { ...by, check: 'regex', action: 'require_approval', count: 1 },
    }),
  )
  return asked
}

test('R2-N1: an approval is bound to every field that rules see, and not to the form of the answer', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
  const id = idOf(body)
  assert.equal(idOf({ ...body, stream: true }), id)
  for (const more of [
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    { metadata: { a: 'b' } },
    { user: 'u' },
  ])
    assert.notEqual(idOf({ ...body, ...more }), id)
})
