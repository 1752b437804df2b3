import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { blocksOf, commandsOf } from '../flows/readme.ts'
import { findServer, needs } from '../harness/find-server.ts'

const page = fileURLToPath(new URL('../../docs/how-to/guard-model-calls.md', import.meta.url))
const shell = promisify(execFile)

test(
  'UXH5: the commands of docs/how-to/guard-model-calls.md block a run and pause one',
  needs('kubectl'),
  async (t) => {
    const { url, apiServer, tokens } = await sharedEmbedded()
    const folder = await mkdtemp(join(tmpdir(), 'mesh-guard-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    for (const block of blocksOf(page, 'A policy', 'yaml')) {
      const [, name = ''] = /^# (\S+)\n/.exec(block) ?? []
      await writeFile(join(folder, name), block)
    }
    const cluster = {
      server: apiServer.url,
      ...(apiServer.ca === '' ? {} : { 'certificate-authority-data': Buffer.from(apiServer.ca).toString('base64') }),
    }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: tokens.developer } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
      'current-context': 'x',
    }
    await writeFile(join(folder, 'config'), JSON.stringify(config))
    const env = {
      PATH: [dirname(findServer('kubectl') ?? ''), dirname(process.execPath), process.env.PATH].join(':'),
      HOME: folder,
      KUBECONFIG: join(folder, 'config'),
      URL: url,
      TOKEN: tokens.developer,
    }
    const run = async (...commands: readonly string[]): Promise<string> =>
      (await shell('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], { cwd: folder, env, timeout: 300_000 }))
        .stdout
    await run(...commandsOf(page, 'A policy'))
    const [first = '', second = ''] = commandsOf(page, 'Calls')
    const blocked = await run(first)
    assert.match(blocked, /"name":"staff"/)
    assert.match(blocked, /"code":"guardrail_blocked"/)
    const [functions = ''] = first.split('\n')
    const events = await run(functions, second)
    assert.match(events, /event: interrupt\.requested/)
    assert.match(events, /event: guardrail\.decided/)
    assert.match(events, /event: run\.succeeded/)
  },
)
