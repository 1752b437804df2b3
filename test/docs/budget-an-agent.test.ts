import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4: the commands of docs/how-to/budget-an-agent.md set a budget, exceed it, and share a quota',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const { section } = createPageShell(t, 'budget-an-agent.md', platform)
    await section('Prepare')
    await section('Price the model')
    const [made] = await section('Set the budget')
    assert.match(made ?? '', /"name":"thrifty"/)
    const [succeeded, exceeded] = (await section('Run it')).map(lastJson)
    assert.equal(succeeded?.['state'], 'succeeded', JSON.stringify(succeeded))
    assert.equal(exceeded?.['state'], 'failed', JSON.stringify(exceeded))
    assert.match(JSON.stringify(exceeded?.['error']), /agent team-a\/broke, 0\.000001 USD per month/)
    const [shared] = await section('Share a quota')
    const usage = lastJson(shared ?? '')
    assert.deepEqual(
      [usage['name'], (usage['spend'] as { limit: string }).limit, usage['rpm'], usage['inflight']],
      ['team-a', '100', { used: 0, limit: 60 }, { used: 0, limit: 4 }],
    )
  },
)

// Answers of the API are one line of JSON without a line feed; kubectl ends its lines.
function lastJson(output: string): Readonly<Record<string, unknown>> {
  return JSON.parse(output.slice(output.lastIndexOf('\n{') + 1)) as Readonly<Record<string, unknown>>
}
