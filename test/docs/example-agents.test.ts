import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { launch, post, readEvents } from '#launcher/testdata/launch.ts'
import { blocksOf } from '../flows/readme.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = `${root}docs/how-to/write-an-agent.md`

const forms = [
  { language: 'Python', file: 'refunds.py', program: ['python3'], needs: ['python3'] },
  { language: 'Node.js', file: 'refunds.mjs', program: [process.execPath], needs: [] },
  { language: 'shell', file: 'refunds.sh', program: [], needs: ['socat', 'jq'] },
] as const

for (const { language, file, program, needs } of forms) {
  const missing = needs.filter((tool) => !isInstalled(tool))
  const skip = missing.length > 0 && process.env.CI !== 'true' && `not installed: ${missing.join(', ')}`
  test(`UXH5: write-an-agent: the ${language} agent answers, streams, pauses and resumes`, { skip }, async (t) => {
    const { url } = await launch(t, { command: [...program, `${root}examples/agents/${file}`] })
    const outcome = async (runId: string, body: object) => {
      await post(`${url}/invoke`, body, { 'x-mesh-run-id': runId })
      return readEvents(`${url}/runs/${runId}/events`)
    }
    const small = await outcome('r1', { input: { amount: 20 } })
    assert.deepEqual(small.at(-1)?.data['output'], { refunded: 20 })

    const text = await outcome('r2', { input: 'My parcel is late.' })
    assert.equal(text.at(-1)?.data['output'], 'Thank you, we will look into it.')
    assert.ok(
      text.some(({ kind }) => kind === 'message.finished'),
      'a message of the stream, not a body',
    )

    const large = await outcome('r3', { input: { amount: 500 } })
    const paused = large.at(-1)?.data
    assert.deepEqual([paused?.['state'], paused?.['pauseReason']], ['paused', 'approval_required'])
    const resume = (decision: string) => ({
      input: { amount: 500 },
      context: {
        resume: { resolutions: [{ interruptId: 'refund', decision }], checkpoint: paused?.['checkpoint'] },
      },
    })
    const approved = await outcome('r3', resume('approve'))
    assert.deepEqual(approved.at(-1)?.data['output'], { refunded: 500 })
  })
}

test('UXH5: write-an-agent: the page shows the Python agent as it is tested', () => {
  const [shown] = blocksOf(page, 'The agent', 'python')
  assert.equal(shown, readFileSync(`${root}examples/agents/refunds.py`, 'utf8').trim())
})

function isInstalled(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
