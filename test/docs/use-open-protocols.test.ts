import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test(
  'R2-UX-4, A2A, AG-UI: the commands of docs/how-to/use-open-protocols.md run agents',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const page = createPageShell(t, 'use-open-protocols.md', platform)
    const shell = async (heading: string): Promise<string> => (await page.section(heading)).join('\n')
    const lastOf = (stream: string) => JSON.parse(stream.trim().split('data: ').at(-1) ?? '')

    const hello = await shell('Run an agent over AG-UI')
    assert.equal(lastOf(hello).result, 'MOCK_OK')
    assert.match(hello, /"type":"TEXT_MESSAGE_CONTENT"/)

    const answered = await shell('Answer an interrupt')
    assert.match(answered, /"reason":"tool_call"/)
    assert.equal(lastOf(answered).result, 'The answer is 42.')

    const called = (await shell('Call an agent over A2A')).split(/(?<=\})(?=\{"jsonrpc"|data: )|\n+/)
    assert.match(called.join('\n'), /"description":"Greets people\."/)
    const results = called
      .filter((line) => line.includes('"jsonrpc"'))
      .map((line) => JSON.parse(line.replace('data: ', '')).result)
    assert.equal(results[0].task.artifacts[0].parts[0].text, 'MOCK_OK')
    assert.equal(results[1].tasks.length, 1)
    assert.equal(results.at(-1).statusUpdate.status.state, 'TASK_STATE_COMPLETED')

    const invoked = await shell('Read a run as AG-UI')
    assert.deepEqual(lastOf(invoked).outcome, { type: 'success' })
  },
)
