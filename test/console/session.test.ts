import assert from 'node:assert/strict'
import test from 'node:test'
import { keepEnd } from '#ui/api/session-state.ts'
import type { SessionState } from '#ui/api/session-state.ts'

const signIn = { code: true, oidc: null }
const session = { username: 'ann@example.com', startedAt: '', endsAt: '', idleEndsAt: '', personas: [], persona: null }
const open: SessionState = { session, ended: null, signIn }
const ended: SessionState = { session: null, ended: 'signed_out', signIn }
const unknown: SessionState = { session: null, ended: null, signIn }

test('the reason of an ended session stays, although later requests know of no session', () => {
  assert.equal(keepEnd(ended, open).ended, 'signed_out')
  assert.equal(keepEnd(unknown, ended).ended, 'signed_out')
  assert.equal(keepEnd({ ...ended, ended: 'idle' }, ended).ended, 'idle')
  // A sign-out of this tab has no reason, and neither has the first visit.
  assert.equal(keepEnd(unknown, open).ended, null)
  assert.equal(keepEnd(unknown, undefined).ended, null)
  assert.deepEqual(keepEnd(open, ended), open)
})
