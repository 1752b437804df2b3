import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { ensureNatsStreams } from '#core/messaging/bus/nats-streams.ts'
import { needs } from '#test/harness/find-server.ts'
import { startNats } from '#test/harness/nats.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('R2-UX-24: the commands of docs/how-to/follow-events.md read events, some types, and what follows an interruption', async (t) => {
  const platform = await sharedEmbedded()
  const shell = createPageShell(t, 'follow-events.md', platform)
  const [made = ''] = await shell.section('Make events')
  assert.match(made.trimEnd().split('\n').at(-1) ?? '', /"state":"succeeded"/)
  const types = (await shell.section('Read them')).join('\n')
  for (const type of ['runs.created', 'runs.succeeded', 'cluster.created'])
    assert.match(types, new RegExp(`\\d+ event: dev\\.mesh\\.${type}\\.v1`))
  const read = (name: string): string => readFileSync(join(shell.folder, name), 'utf8')
  const succeeded = new Set(read('succeeded.txt').match(/^event: .*$/gm))
  assert.deepEqual([...succeeded], ['event: dev.mesh.runs.succeeded.v1'])
  await shell.section('Continue after an interruption')
  const idsIn = (name: string): readonly string[] => read(name).match(/^id: .*$/gm) ?? []
  const [last] = idsIn('events.txt').slice(-1)
  assert.ok(idsIn('later.txt').length > 0 && idsIn('later.txt').every((id) => id > (last ?? '')), read('later.txt'))
  assert.match(read('later.txt'), /^event: dev\.mesh\.runs\.succeeded\.v1$/m)
  const [run = ''] = await shell.section('One run')
  assert.deepEqual(run.match(/run\.\w+/g), ['run.queued', 'run.started', 'run.succeeded'])
})

test('R2-UX-24: the program of docs/how-to/follow-events.md follows NATS', needs('nats-server'), async (t) => {
  const { url } = await startNats(t)
  const connection = await connect({ servers: url })
  t.after(() => connection.close())
  await ensureNatsStreams(await jetstreamManager(connection), { replicas: 1, durables: [] })
  const [, program = ''] =
    /^```ts\n\/\/ follow-nats\.mjs\n([\s\S]*?)^```$/m.exec(
      readFileSync(join(root, 'docs/how-to/follow-events.md'), 'utf8'),
    ) ?? []
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    env: { PATH: process.env['PATH'], NATS_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  const event = { id: 'e-1', subject: 'default/Run/r-1', data: { runId: 'r-1' } }
  const stream = jetstream(connection)
  await stream.publish('mesh.v1.default.runs.created', JSON.stringify({ ...event, id: 'e-0' }))
  await stream.publish('mesh.v1.default.runs.succeeded', JSON.stringify(event))
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  assert.equal(printed.toString(), 'e-1 default/Run/r-1 r-1\n')
})
