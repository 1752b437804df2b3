import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toKubeconfig } from '#local/cluster/kubeconfig.ts'
import { findServer, needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { commandsOf } from '../flows/readme.ts'

const page = fileURLToPath(new URL('../../docs/how-to/budget-an-agent.md', import.meta.url))
const run = promisify(execFile)

test(
  'the commands of docs/how-to/budget-an-agent.md set a budget, exceed it, and share a quota',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const folder = tempFolder('budget-page')
    t.after(folder.remove)
    mkdirSync(join(folder.path, '.mesh'))
    const { url, ca } = platform.apiServer
    const kubeconfig = toKubeconfig({ url, certificateAuthority: ca }, platform.tokens)
    writeFileSync(join(folder.path, '.mesh', 'kubeconfig'), kubeconfig, { mode: 0o600 })
    writeFileSync(join(folder.path, '.mesh', 'tokens.json'), JSON.stringify(platform.tokens), { mode: 0o600 })
    const [prepare] = commandsOf(page, 'Prepare')
    const path = [dirname(findServer('kubectl') ?? ''), dirname(process.execPath), process.env['PATH']].join(':')
    const shell = async (commands: string): Promise<string> => {
      const script = `set -eo pipefail\n${commands}`.replaceAll('http://localhost:8080', platform.url)
      const options = { cwd: folder.path, env: { PATH: path, HOME: folder.path } }
      const { stdout } = await run('bash', ['-c', script], options)
      return stdout
    }
    const settings = (prepare ?? '').split('\n').filter((line) => !line.startsWith('kubectl'))
    const blocks = async (heading: string): Promise<readonly string[]> => {
      const outputs: string[] = []
      for (const block of commandsOf(page, heading)) outputs.push(await shell([...settings, block].join('\n')))
      return outputs
    }
    await shell(prepare ?? '')
    await blocks('Price the model')
    const [made] = await blocks('Set the budget')
    assert.match(made ?? '', /"name":"thrifty"/)
    const [succeeded, exceeded] = (await blocks('Run it')).map(lastJson)
    assert.equal(succeeded?.['state'], 'succeeded', JSON.stringify(succeeded))
    assert.equal(exceeded?.['state'], 'failed', JSON.stringify(exceeded))
    assert.match(JSON.stringify(exceeded?.['error']), /agent team-a\/broke, 0\.000001 USD per month/)
    const [shared] = await blocks('Share a quota')
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
