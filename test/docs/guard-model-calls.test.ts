import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { needs } from '../harness/find-server.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4, UXH5: the commands of docs/how-to/guard-model-calls.md block a run and pause one',
  needs('kubectl'),
  async (t) => {
    const shell = createPageShell(t, 'guard-model-calls.md', await sharedEmbedded())
    await shell.section('A policy')
    const [blocked = '', events = ''] = await shell.section('Calls')
    assert.match(blocked, /"name":"staff"/)
    assert.match(blocked, /"code":"guardrail_blocked"/)
    assert.match(events, /event: interrupt\.requested/)
    assert.match(events, /event: guardrail\.decided/)
    assert.match(events, /event: run\.succeeded/)
    const [trial = ''] = await shell.section('Try a policy')
    assert.match(trial, /"decision":"pass".*"rule":"contacts".*"body":"Write to \[contact\]\."/)
  },
)
