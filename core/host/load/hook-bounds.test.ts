import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import type { Role } from '#core/config/profile.ts'
import { readSettings } from '#core/config/settings.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { runCommand } from '../commands/run-command.ts'
import { createHost } from '../process/host.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'
import { loadThirdParties } from '../third-party/third-party.ts'

const hooks = { startSeconds: 1, closeSeconds: 1, applySeconds: 1 }
const never = (): Promise<never> => new Promise(() => undefined)

function plugin(name: string, more: Partial<AnyPlugin> = {}): AnyPlugin {
  return { contract: 1, name, settings: Type.Object({}), create: () => ({}), ...more }
}

function hostWith(t: TestContext, plugins: readonly AnyPlugin[], role: Role = 'bff') {
  const lines: string[] = []
  const host = createHost({
    roles: [role],
    plugins,
    settings: readSettings(bareSettings('pluginHooks: {startSeconds: 1, closeSeconds: 1}'), {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
  })
  t.after(() => host.close().catch(() => undefined))
  return { host, lines }
}

async function loaded(t: TestContext, source: string): Promise<readonly AnyPlugin[]> {
  const { path: folder, remove } = tempFolder('hooks')
  t.after(remove)
  await writeFile(join(folder, 'slow.mjs'), source)
  return loadThirdParties(['./slow.mjs'], { folder, plugins: [], profile: 'open', hooks })
}

const declared = (hook: string) =>
  `import * as mesh from '@mesh.dev/mesh/plugin'; export default mesh.definePlugin({ contract: 1, name: 'slow', settings: mesh.Type.Object({}), create: () => ({}), ${hook}: () => new Promise(() => {}) })`

for (const hook of ['wiring', 'create'] as const)
  test(`R2-C6: ${hook} that never resolves ends the start, and names plugin and hook`, async (t) => {
    const message = `plugin slow: ${hook} did not end within 1 s (the setting pluginHooks.startSeconds)`
    let closed = 0
    const first = plugin('first', { close: async () => void closed++ })
    const builtIn = hostWith(t, [first, plugin('slow', { [hook]: never })])
    await assert.rejects(builtIn.host.start(), { name: 'BootError', message })
    assert.equal(closed, hook === 'create' ? 1 : 0, 'a plugin that was created is closed')
    const thirdParty = hostWith(t, await loaded(t, declared(hook)))
    const located = new RegExp(`^plugin slow \\(.*slow\\.mjs:1:\\d+\\): ${hook} did not end within 1 s`)
    await assert.rejects(thirdParty.host.start(), { name: 'BootError', message: located })
  })

test('R2-C6: close that never resolves is named, and the plugins before it are closed', async (t) => {
  const message =
    /plugin slow(?: \(.*slow\.mjs:1:\d+\))?: close did not end within 1 s \(the setting pluginHooks\.closeSeconds\)/
  let closed = 0
  const first = plugin('first', { close: async () => void closed++ })
  const builtIn = hostWith(t, [first, plugin('slow', { close: never })])
  await builtIn.host.start()
  await assert.rejects(builtIn.host.close(), { message })
  assert.equal(closed, 1)
  const thirdParty = hostWith(t, [first, ...(await loaded(t, declared('close')))])
  await thirdParty.host.start()
  await assert.rejects(thirdParty.host.close(), { message })
  assert.equal(closed, 2)
})

test('R2-C6: a module that waits at its top ends the load, and is named', async (t) => {
  const message = 'plugin ./slow.mjs: import did not end within 1 s (the setting pluginHooks.startSeconds)'
  await assert.rejects(loaded(t, 'await new Promise(() => {})\nexport default {}'), {
    name: 'BootError',
    message,
  })
})

test('R2-C6: a job that ignores its signal does not hold the close, and is named', async (t) => {
  const job = { name: 'slow.loop', leaderOnly: false, run: never }
  let closed = 0
  const { host, lines } = hostWith(
    t,
    [plugin('slow', { jobs: () => [job], close: async () => void closed++ })],
    'worker',
  )
  await host.start()
  await host.close()
  const line = lines
    .map((one) => JSON.parse(one) as Record<string, unknown>)
    .find(({ handlers }) => handlers !== undefined)
  assert.deepEqual(line?.['handlers'], ['job slow.loop'])
  assert.match(
    String(line?.['msg']),
    /background work did not end within 1 s \(the setting pluginHooks\.closeSeconds\)/,
  )
  assert.equal(closed, 1, 'its plugin is closed all the same')
})

test('R2-C6: a command whose code never loads ends, and names plugin and command', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const command = { words: 'slow list', summary: 'lists', load: never }
  const program = { builtIn: async () => [] }
  const input = { env: {}, out: () => undefined, err: () => undefined, untilStopped: never, program }
  const ended = assert.rejects(runCommand({ command, plugin: 'slow' }, {}, input as never), {
    message: /plugin slow: load of the command slow list did not end within 30 s/,
  })
  t.mock.timers.tick(30_000)
  await ended
})

test(
  'R2-C6: a process whose close never resolves exits at its deadline, and says so',
  { timeout: 30_000 },
  async () => {
    const script = `
    import { runProcess } from ${JSON.stringify(new URL('../process/run-process.ts', import.meta.url).href)}
    setInterval(() => undefined, 1_000)
    const host = { start: async () => console.log('started'), drain: async () => undefined }
    const log = { info: () => undefined, error: (_fields, text) => console.log(text) }
    const close = () => new Promise(() => undefined)
    process.exit(await runProcess({ host, log, close, drainDeadlineMs: 300 }, ['bff']))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text === 'started\n') child.kill('SIGTERM')
    })
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 1)
    assert.match(text, /the process did not close in time and exits/)
  },
)
