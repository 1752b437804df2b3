import assert from 'node:assert/strict'
import test from 'node:test'
import { hasLostPort } from './replace-lost-pods.ts'

test('PODS4: a pod is lost while its launcher is terminated because its port was taken', () => {
  const pod = (state: object, lastState: object = {}, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...metadata },
    status: { initContainerStatuses: [{ name: 'launcher', state, lastState }] },
  })
  const ended = (exitCode: number) => ({ terminated: { exitCode } })
  assert.ok(hasLostPort(pod(ended(98))))
  assert.ok(hasLostPort(pod({ waiting: { reason: 'CrashLoopBackOff' } }, ended(98))))
  assert.ok(!hasLostPort(pod({ running: {} }, ended(98))))
  assert.ok(!hasLostPort(pod(ended(137))))
  assert.ok(!hasLostPort(pod(ended(98), {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })))
})
