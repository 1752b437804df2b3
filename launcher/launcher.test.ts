import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import { launcherPackages } from '#test/architecture/bundles.ts'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { limitDefaults } from './settings/agent-config.ts'
import { agentEnvironment } from './settings/settings.ts'
import { isAlive, launch, post, readEvents, until } from './testdata/launch.ts'
import { nodeAgent } from './testdata/node-agent.ts'
import type { LaunchedProcess } from './testdata/launch.ts'

interface ReceivedMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string }[] }
    readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[]
  }[]
}

interface ReceivedMetric {
  readonly name: string
  readonly sum?: Series
  readonly gauge?: Series
}

interface Series {
  readonly dataPoints: readonly { readonly attributes: readonly unknown[]; readonly asDouble: number }[]
}

const run = (id: string) => ({ 'x-mesh-run-id': id })
const linux = { skip: process.platform === 'linux' ? false : 'reads /proc' }
// Of a machine that runs many tests at once.
const busyMs = 120_000
const inCi = process.env.CI === 'true'

function need(program: string): { skip: string | false } {
  return { skip: findOnPath(program) === undefined && !inCi ? `${program} not found on PATH` : false }
}

function agentPid({ notes }: LaunchedProcess): number {
  return Number(
    notes()
      .find((note) => note.startsWith('listening'))
      ?.split(' ')[1],
  )
}

function childrenOf(pid: number): string[] {
  return spawnSync('ps', ['-o', 'stat=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
}

test('P1: double-forked orphans leave no zombie under tini', need('tini'), async (t) => {
  const orphans = process.env.MESH_CHAOS === 'true' ? 10_000 : 300
  const tini = findOnPath('tini') ?? 'tini'
  const held = 20
  const folder = tempFolder('orphans')
  t.after(folder.remove)
  const gate = join(folder.path, 'gate')
  assert.equal(spawnSync('mkfifo', [gate]).status, 0)
  // Both ends: it opens immediately, and a line that is written before an orphan reads stays in the pipe.
  const opened = openSync(gate, 'r+')
  t.after(() => closeSync(opened))
  // `-s` makes tini the reaper where it is not process 1 of a container, as here.
  const launched = await launch(t, {
    command: nodeAgent,
    prefix: [tini, '-s', '-g', '--'],
    env: { AGENT_ORPHANS: String(orphans), AGENT_HELD_ORPHANS: String(held), AGENT_GATE: gate },
  })
  await until(() => childrenOf(launched.pid).length > held, 'tini adopted the orphans that wait', busyMs)
  await until(() => launched.notes().includes('orphans forked'), 'every orphan was forked', busyMs)
  writeSync(opened, '\n'.repeat(held))
  await until(() => childrenOf(launched.pid).length === 1, 'every orphan was reaped', busyMs)
  // tini is no container: killed immediately it would leave the launcher behind.
  launched.kill('SIGTERM')
  assert.equal(await launched.exited, 0)
})

test('P2: signals other than TERM and INT reach the agent within 100 ms', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  for (const signal of ['SIGHUP', 'SIGUSR2', 'SIGQUIT', 'SIGWINCH'] as const) {
    const arrived = () => launched.notes().filter((note) => note.startsWith(`signal ${signal} `))
    // A busy machine is late once or several times; a launcher that polls is always late.
    for (let [sent, fastest] = [1, Infinity]; fastest >= 100; sent++) {
      assert.ok(sent <= 40, `${signal} took at least ${fastest} ms`)
      const sentAt = Date.now()
      launched.kill(signal)
      await until(() => arrived().length === sent, `${signal} arrived`, busyMs)
      fastest = Math.min(fastest, Number(arrived().at(-1)?.split(' ')[2]) - sentAt)
    }
  }
  assert.equal((await fetch(`${launched.url}/healthz`)).status, 200)
})

test('P2: the launcher exits with the code of the agent; a program that cannot start is 127 or 126', async (t) => {
  const term = await launch(t, { command: nodeAgent, env: { AGENT_TERM_CODE: '42' } })
  term.kill('SIGTERM')
  assert.equal(await term.exited, 42)
  const signalled = await launch(t, { command: ['/bin/sh', '-c', 'kill -USR1 $$'], early: true })
  assert.equal(await signalled.exited, 138)
  const missing = await launch(t, { command: ['/nonexistent/program'], early: true })
  assert.equal(await missing.exited, 127)
  const forbidden = await launch(t, { command: ['/etc/passwd'], early: true })
  assert.equal(await forbidden.exited, 126)
})

test('P3: SIGTERM fails health first, refuses new work, lets the run in flight end, then ends the agent', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    config: { limits: { concurrency: 2 } },
    env: { AGENT_CANCELS: 'true' },
  })
  const { url } = launched
  await post(`${url}/invoke`, { input: { do: 'hang' } }, run('r1'))
  const events = readEvents(`${url}/runs/r1/events`)
  launched.kill('SIGTERM')
  await until(async () => (await fetch(`${url}/healthz`)).status === 503, 'health failed')
  const refused = await post(`${url}/invoke`, { input: {} }, run('r2'))
  assert.deepEqual([refused.status, refused.body.error], [503, 'draining'])
  assert.ok(!launched.notes().includes('signal SIGTERM'), 'the agent still works')
  await post(`${url}/runs/r1/cancel`)
  assert.equal((await events).at(-1)?.kind, 'run.cancelled')
  assert.ok(!launched.notes().includes('signal SIGTERM'), 'the result still waits for its worker')
  await post(`${url}/runs/r1/ack`)
  assert.equal(await launched.exited, 0)
  assert.ok(launched.notes().includes('signal SIGTERM'))
})

test('P3: a launcher without runs refuses a run that is on its way, rather than to close its connection', async (t) => {
  // A busy machine is late once or several times.
  for (let tries = 1; ; tries++) {
    const launched = await launch(t, { command: nodeAgent })
    const { url } = launched
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    launched.kill('SIGTERM')
    await pause(50)
    const late = await post(`${url}/invoke`, { input: {} }, run('r1')).catch(() => undefined)
    assert.equal(await launched.exited, 0)
    if (late?.body.error === 'draining') return
    assert.ok(tries < 10, 'no late run was refused')
  }
})

test('P3: a run that outlives the grace fails, a stubborn agent is killed', async (t) => {
  const launched = await launch(t, { command: nodeAgent, env: { AGENT_STUBBORN: 'true', MESH_GRACE_SECONDS: '5.1' } })
  await post(`${launched.url}/invoke`, { input: { do: 'hang' } }, run('r1'))
  const events = readEvents(`${launched.url}/runs/r1/events`)
  launched.kill('SIGINT')
  const last = (await events).at(-1)
  assert.deepEqual([last?.kind, last?.data.failReason], ['run.failed', 'agent_error'])
  assert.equal(await launched.exited, 137)
})

test('P4: a crash of the agent fails its run, and the launcher ends with the agent’s code', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  await post(`${launched.url}/invoke`, { input: { do: 'crash' } }, run('r1'))
  const last = (await readEvents(`${launched.url}/runs/r1/events`)).at(-1)
  assert.deepEqual([last?.kind, last?.data.failReason], ['run.failed', 'agent_error'])
  assert.equal(
    last?.data.message,
    'the agent closed the connection before its response was complete (its process ended with code 7); see its log',
  )
  assert.equal((await fetch(`${launched.url}/healthz`)).status, 503)
  await post(`${launched.url}/runs/r1/ack`)
  assert.equal(await launched.exited, 7)
})

test('P4: kill -9 of the launcher ends the agent', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  const pid = agentPid(launched)
  assert.ok(isAlive(pid))
  launched.kill('SIGKILL')
  await until(() => !isAlive(pid), 'the agent ended')
})

test('P4: a closed parent pipe ends launcher and agent', async (t) => {
  const launched = await launch(t, { command: nodeAgent, parentPipe: true, env: { AGENT_TERM_CODE: '3' } })
  const pid = agentPid(launched)
  launched.closeParentPipe()
  assert.equal(await launched.exited, 3)
  assert.equal(isAlive(pid), false)
})

test('P4: a closed log does not keep the launcher from ending its agent', async (t) => {
  const launched = await launch(t, { command: nodeAgent, parentPipe: true, env: { AGENT_TERM_CODE: '3' } })
  const pid = agentPid(launched)
  launched.closeLog()
  launched.closeParentPipe()
  assert.equal(await launched.exited, 3)
  assert.ok(launched.notes().includes('signal SIGTERM'))
  assert.equal(isAlive(pid), false)
})

test('P4: a shutdown with its whole grace is cut short by a closed parent pipe', async (t) => {
  const launched = await launch(t, { command: nodeAgent, parentPipe: true, env: { AGENT_STUBBORN: 'true' } })
  await post(`${launched.url}/invoke`, { input: { do: 'hang' } }, run('r1'))
  launched.kill('SIGTERM')
  await launched.line(({ msg }) => msg === 'shutting down')
  const since = performance.now()
  launched.closeParentPipe()
  assert.equal(await launched.exited, 137)
  assert.ok(performance.now() - since < 24_000, 'not after the 25 s of its grace')
})

test('P4: kill -9 of the launcher ends processes that left the agent’s group', linux, async (t) => {
  const script = 'setsid sleep 600 & echo "child $!" >> "$AGENT_JOURNAL"; exec "$@"'
  const launched = await launch(t, { command: ['/bin/sh', '-c', script, 'sh', ...nodeAgent] })
  const child = Number(
    launched
      .notes()
      .find((note) => note.startsWith('child'))
      ?.split(' ')[1],
  )
  assert.ok(isAlive(child))
  launched.kill('SIGKILL')
  await until(() => !isAlive(child), 'the child in a session of its own ended')
})

test('P5: the launcher’s own files and switches are not in the agent’s environment', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    env: { MESH_STATE_TOKEN_FILE: '/run/secrets/state', USERS_OWN: 'yes' },
  })
  const { body } = await post(`${launched.url}/invoke`, { input: { do: 'environment' } })
  const environment = body.output as Record<string, string>
  const leaked = Object.keys(environment).filter((name) => /TOKEN|MESH_(AGENT_CONFIG|UNSIGNED|BIND|STATE)/.test(name))
  assert.deepEqual(leaked, [])
  assert.equal(environment.USERS_OWN, 'yes')
  assert.equal(environment.AGENT_PORT, String(launched.agentPort))
})

test('readiness: an agent whose health is 5xx is not ready, and no run reaches it', async (t) => {
  const launched = await launch(t, { command: nodeAgent, env: { AGENT_UNHEALTHY: 'true' }, early: true })
  const { port } = (await launched.line(({ listener }) => listener === 'invoke')) as { port: number }
  await until(() => launched.notes().some((note) => note.startsWith('listening')), 'the agent listens')
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 503)
  const refused = await post(`http://127.0.0.1:${port}/invoke`, { input: {} })
  assert.deepEqual([refused.status, refused.body.error], [503, 'agent_not_ready'])
})

test('settings: an invalid setting is named, and the exit code is 78', async (t) => {
  const cases: [Parameters<typeof launch>[1], RegExp][] = [
    [{ config: { uid: '' }, command: nodeAgent }, /\/uid: must be a non-empty string/],
    [{ config: { limits: { timeout: 'soon' } }, command: nodeAgent }, /\/limits\/timeout: must be a duration/],
    [{ config: { limits: { timeout: '30d' } }, command: nodeAgent }, /\/limits\/timeout: .* from 1ms to 24d/],
    [{ config: {} }, /\/model: is missing/],
    [{ env: { MESH_LAUNCHER_PORT: '99999' }, command: nodeAgent }, /MESH_LAUNCHER_PORT must be a port number/],
    [{ env: { STATE_URL: 'ftp://x' }, command: nodeAgent }, /STATE_URL: must be an http or https URL/],
    [{ env: { MESH_UNSIGNED: '' }, command: nodeAgent }, /STATE_URL: is missing/],
    [{ env: { MESH_AGENT_ENV_FILE: '/none' }, command: nodeAgent }, /MESH_AGENT_ENV_FILE: ENOENT/],
    [{ env: { MESH_AGENT_CONTAINER: 'true' }, command: nodeAgent }, /MESH_AGENT_CONTAINER: excludes a command/],
  ]
  for (const [options, message] of cases) {
    const launched = await launch(t, { ...options, early: true })
    assert.equal(await launched.exited, 78)
    assert.match(JSON.stringify(launched.lines), message)
  }
})

test('limits: the launcher’s defaults are those of AgentDeployment', () => {
  const { timeout, maxSteps, maxDelegationDepth, concurrency } = AGENT_DEFAULTS
  assert.deepEqual({ ...limitDefaults }, { timeout, maxSteps, maxDelegationDepth, concurrency })
})

test('languages: a Python agent streams', need('python3'), async (t) => {
  const command = ['python3', '-u', fileURLToPath(import.meta.resolve('./testdata/agent.py'))]
  const { url } = await launch(t, { command })
  await post(`${url}/invoke`, { input: 'stream' }, run('r1'))
  const entries = await readEvents(`${url}/runs/r1/events`)
  assert.equal(entries.at(-1)?.data.output, 'from python')
  assert.equal(entries.find(({ kind }) => kind === 'message.finished')?.data.text, 'from python')
})

test('H4: spans and metrics are pushed with the headers; without a collector spans are dropped and counted', async (t) => {
  const pushed: ReceivedMetrics[] = []
  const keys: unknown[] = []
  const received: { resourceSpans: { scopeSpans: { spans: { name: string; traceId: string }[] }[] }[] }[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    keys.push(request.headers['x-api-key'])
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (request.url === '/v1/metrics') pushed.push(body as ReceivedMetrics)
    else received.push(body as (typeof received)[number])
    response.writeHead(200).end()
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  t.after(() => collector.close())
  const { port } = collector.address() as AddressInfo
  const up = await launch(t, {
    command: nodeAgent,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Api-Key=a%20key%2C%20or%20two',
    },
  })
  await post(`${up.url}/invoke`, { input: {} })
  assert.equal((await fetch(`${up.url}/nothing`)).status, 404)
  assert.equal((await fetch(`${up.url}/metrics`)).status, 404)
  up.kill('SIGTERM')
  await up.exited
  const { resource, scopeMetrics } = pushed.at(-1)?.resourceMetrics[0] ?? {}
  const points = Object.fromEntries(
    (scopeMetrics?.[0]?.metrics ?? []).map(({ name, sum, gauge }) => [name, (sum ?? gauge)?.dataPoints ?? []]),
  )
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })
  const [runs, refusals] = [points['mesh_launcher_runs_total'], points['mesh_launcher_refusals_total']]
  assert.deepEqual(
    runs?.map(({ attributes, asDouble }) => [attributes, asDouble]),
    [[[attribute('state', 'succeeded')], 1]],
  )
  assert.deepEqual(
    refusals?.map(({ attributes, asDouble }) => [attributes, asDouble]),
    [[[attribute('listener', 'invoke'), attribute('code', 'not_found')], 2]],
  )
  assert.ok((points['mesh_launcher_resident_memory_bytes']?.[0]?.asDouble ?? 0) > 1_000_000)
  assert.equal(points['mesh_launcher_runs_active']?.[0]?.asDouble, 0)
  assert.ok(resource?.attributes.some(({ key }) => key === 'service.instance.id'))
  const names = received.flatMap(
    ({ resourceSpans }) => resourceSpans[0]?.scopeSpans[0]?.spans.map(({ name }) => name) ?? [],
  )
  assert.deepEqual(names, ['run'])
  assert.deepEqual([...new Set(keys)], ['a key, or two'], 'with spans and metrics')
  assert.doesNotMatch(JSON.stringify(up.lines), /or two|or%20two/)

  const down = await launch(t, { command: nodeAgent, env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } })
  assert.equal((await post(`${down.url}/invoke`, { input: {} })).body.state, 'succeeded')
  down.kill('SIGTERM')
  await down.exited
  assert.ok(down.lines.some(({ dropped }) => dropped === 1))
})

test('launcher: a wrong OTEL_EXPORTER_OTLP_HEADERS ends the start by name, and the agent does not get the headers', async (t) => {
  const wrong = await launch(t, { command: nodeAgent, early: true, env: { OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key' } })
  assert.equal(await wrong.exited, 78)
  assert.match(String(wrong.lines.at(-1)?.msg), /^configuration: OTEL_EXPORTER_OTLP_HEADERS: pair 1 has no "="/)
  const own = { OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OWN: '1' }
  assert.deepEqual(Object.keys(agentEnvironment(own, 8000)), ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OWN', 'AGENT_PORT'])
})

test('launcher: the bundle loads no schema library or framework; idle it stays below 80 MB', linux, async (t) => {
  const folder = tempFolder('bundle')
  t.after(() => folder.remove())
  const outfile = join(folder.path, 'launcher.mjs')
  const entry = fileURLToPath(import.meta.resolve('./main.ts'))
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner,
    metafile: true,
    minify: true,
  })
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  assert.deepEqual([...packages].toSorted(), launcherPackages)
  const launched = await launch(t, {
    main: outfile,
    prefix: [process.execPath, '--max-semi-space-size=4'],
    config: { model: { route: 'mock' } },
    env: { MODEL_GATEWAY_URL: 'http://127.0.0.1:1' },
  })
  assert.equal((await fetch(`${launched.url}/healthz`)).status, 200)
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${launched.pid}/status`, 'utf8'))?.[1])
  assert.ok(kilobytes < 80 * 1024, `${kilobytes} kB`)
})
