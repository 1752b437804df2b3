import assert from 'node:assert/strict'
import test from 'node:test'
import { choosePod, sinceSeconds } from './logs.ts'

test('SEC6, F5: since is a duration or a time of the last 100 years', () => {
  const now = new Date('2026-01-01T00:10:00Z')
  assert.equal(sinceSeconds('10m', now), 600)
  assert.equal(sinceSeconds('1h30m', now), 5400)
  assert.equal(sinceSeconds('500ms', now), 1)
  assert.equal(sinceSeconds('2026-01-01T00:00:00Z', now), 600)
  assert.equal(sinceSeconds(undefined, now), undefined)
  for (const bad of ['soon', '10', '-5m', 'm']) assert.throws(() => sinceSeconds(bad, now), { code: 'invalid_query' })
  for (const far of ['999999999d999999999d', '40000d', '0001-01-01T00:00:00Z'])
    assert.throws(() => sinceSeconds(far, now), {
      code: 'invalid_query',
      errors: [{ pointer: '?since', detail: 'must be at most 100 years ago' }],
    })
})

test('a running pod is selected before a newer one that is not running', () => {
  const pod = (name: string, phase: string, creationTimestamp: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp },
    status: { phase },
  })
  const chosen = choosePod([
    pod('old', 'Running', '2026-01-01T00:00:00Z'),
    pod('new', 'Running', '2026-01-02T00:00:00Z'),
    pod('pending', 'Pending', '2026-01-03T00:00:00Z'),
  ])
  assert.equal(chosen?.metadata.name, 'new')
})
