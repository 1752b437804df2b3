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

const page = fileURLToPath(new URL('../../docs/how-to/use-open-protocols.md', import.meta.url))
const run = promisify(execFile)

test('A2A, AG-UI: the commands of docs/how-to/use-open-protocols.md run agents', needs('kubectl'), async (t) => {
  const platform = await sharedEmbedded()
  const folder = tempFolder('open-protocols-page')
  t.after(folder.remove)
  mkdirSync(join(folder.path, '.mesh'))
  writeFileSync(join(folder.path, '.mesh', 'tokens.json'), JSON.stringify(platform.tokens), { mode: 0o600 })
  const { url, ca } = platform.apiServer
  const kubeconfig = toKubeconfig({ url, certificateAuthority: ca }, platform.tokens)
  writeFileSync(join(folder.path, '.mesh', 'kubeconfig'), kubeconfig, { mode: 0o600 })
  const [prepare = ''] = commandsOf(page, 'Prepare')
  const shell = async (heading: string): Promise<string> => {
    const commands = [prepare, ...commandsOf(page, heading)].join('\n')
    const script = `set -eo pipefail\n${commands}`.replaceAll('http://localhost:8080', platform.url)
    const env = {
      PATH: [dirname(findServer('kubectl') ?? ''), dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: folder.path,
    }
    return (await run('bash', ['-c', script], { cwd: folder.path, env })).stdout
  }
  const lastOf = (stream: string) => JSON.parse(stream.trim().split('data: ').at(-1) ?? '')

  const hello = await shell('Run an agent by AG-UI')
  assert.equal(lastOf(hello).result, 'MOCK_OK')
  assert.match(hello, /"type":"TEXT_MESSAGE_CONTENT"/)

  const answered = await shell('Answer an interrupt')
  assert.match(answered, /"reason":"tool_call"/)
  assert.equal(lastOf(answered).result, 'The answer is 42.')

  const called = (await shell('Call an agent by A2A')).split(/(?<=\})(?=\{"jsonrpc"|data: )|\n+/)
  assert.match(called.join('\n'), /"description":"Greets people\."/)
  const results = called
    .filter((line) => line.includes('"jsonrpc"'))
    .map((line) => JSON.parse(line.replace('data: ', '')).result)
  assert.equal(results[0].task.artifacts[0].parts[0].text, 'MOCK_OK')
  assert.equal(results[1].tasks.length, 1)
  assert.equal(results.at(-1).statusUpdate.status.state, 'TASK_STATE_COMPLETED')

  const invoked = await shell('Read a run as AG-UI')
  assert.deepEqual(lastOf(invoked).outcome, { type: 'success' })
})
