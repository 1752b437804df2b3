import assert from 'node:assert/strict'
import test from 'node:test'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startLauncher } from '../launcher.ts'
import { readSettings } from '../settings/settings.ts'
import { createLog } from '../telemetry/log.ts'
import { post } from '../testdata/launch.ts'
import { notesListener } from '../testdata/notes-listener.ts'
import { defineListener } from '../contract/listener.ts'
import type { ListenerDefinition } from '../contract/listener.ts'
import { pluginListeners } from '../listener-list.ts'
import { listenerDefinitions } from '../listener-definitions.ts'

/** Starts a launcher in this process; the ports of the listeners that it started, by name. */
async function start(t: TestContext, definitions: readonly ListenerDefinition[], env: Record<string, string> = {}) {
  const folder = tempFolder('listeners')
  t.after(folder.remove)
  const config = join(folder.path, 'agent.json')
  writeFileSync(config, JSON.stringify({ name: 'robot', namespace: 'default', uid: 'uid-1' }))
  const ports = { MESH_BIND: '127.0.0.1', MESH_LAUNCHER_PORT: '0', DELEGATE_PORT: '0', MEMORY_PORT: '0' }
  const settings = readSettings(['--', 'none'], { MESH_AGENT_CONFIG: config, MESH_UNSIGNED: 'true', ...ports, ...env })
  const open: Record<string, number> = {}
  const log = {
    ...createLog('error'),
    warn: () => undefined,
    info: (fields: { listener?: string; port?: number }) => void (open[fields.listener ?? ''] = fields.port ?? 0),
  }
  const supervision = { ready: () => Promise.resolve(true), started: () => true }
  const launcher = await startLauncher(settings, log, supervision, definitions)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= launcher.close())
  t.after(close)
  return { open, drain: launcher.drain, close }
}

test('how-to: the port of add-a-launcher-port.md is what its page says, and works', async (t) => {
  const page = readFileSync(new URL('../../docs/how-to/add-a-launcher-port.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('../testdata/notes-listener.ts', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) =>
    code.replaceAll(/^import .*\n+/gm, '').trim(),
  )
  assert.equal(blocks.length, 2)
  for (const code of blocks) assert.ok(source.includes(code), code)
  for (const [, path = ''] of page.matchAll(/`((?:launcher|schemas|plugins|docs|test)\/[\w./-]+)`/g))
    assert.doesNotThrow(() => readFileSync(new URL(`../../${path}`, import.meta.url)), path)

  const { open } = await start(t, [notesListener, ...listenerDefinitions], { STATE_URL: 'http://127.0.0.1:1' })
  assert.deepEqual(Object.keys(open), ['memory', 'delegate', 'invoke'], 'invoke is the last')
  const add = (body: unknown) => post(`http://127.0.0.1:${open.memory}/notes/a`, body)
  assert.deepEqual(await add({ note: 'x' }), { status: 201, body: { notes: 1 } })
  assert.deepEqual((await add({ note: 'y', weight: 2 })).body, { notes: 2 })
  assert.deepEqual((await add({ note: 'y', weight: '2' })).body.message, 'weight: must be a count')
})

test('launcher: a listener that is not wanted stays closed, and each is drained and closed with the launcher', async (t) => {
  const calls: string[] = []
  const watching = defineListener({
    ...notesListener,
    wanted: () => true,
    start: async (pod) => ({
      ...(await notesListener.start(pod, [])),
      drain: () => void calls.push('drain'),
      close: async () => void calls.push('close'),
    }),
  })
  const { open, drain, close } = await start(t, [watching, ...listenerDefinitions])
  assert.deepEqual(Object.keys(open), ['memory', 'invoke'], 'without STATE_URL there is no delegation')
  const url = `http://127.0.0.1:${open.memory}/notes/a`
  drain()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"note":""}',
  })
  assert.deepEqual([answer.status, answer.headers.get('connection')], [201, 'close'])
  await close()
  assert.deepEqual(calls, ['drain', 'close'])
  await assert.rejects(fetch(url))
})

test('launcher: every plugin with a listener is listed, in the order of ports, and invoke is the last', () => {
  const ports = listenerDefinitions.map(({ port }) => [port].flat().map(({ name }) => name))
  const expected = [
    'delegate',
    'feedback',
    'budget',
    ['amp', 'ampInbound'],
    'memory',
    'discovery',
    ['otlpGrpc', 'otlpHttp'],
    'invoke',
  ]
  assert.deepEqual(
    ports,
    expected.map((names) => [names].flat()),
  )
  const rooms = globSync('plugins/*/launcher/listener.ts', { cwd: new URL('../..', import.meta.url) })
  assert.ok(rooms.length > 0)
  assert.equal(pluginListeners.length, rooms.length)
})
