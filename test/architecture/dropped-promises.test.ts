import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { droppedPromises } from './dropped-promises.ts'
import { isTest, readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fixture = 'test/architecture/testdata/dropped.ts'

// Each of these promises handles its own errors, or cannot reject. A new one belongs here only with that reason.
const settled: Readonly<Record<string, readonly string[]>> = {
  'resolves only': [
    "core/host/process/run-process.ts: fatal.then(() => resolve('fatal'))",
    'launcher/main.ts: fatal.then(endAfterFatal)',
    'launcher/main.ts: supervisor?.crashed.then((code) => once(() => endAfterCrash(launcher, code)))',
    'launcher/supervise/supervisor.ts: watchExit(process)',
    'launcher/supervise/supervisor.ts: becomeReady()',
    'launcher/supervise/readiness.ts: becomeReady()',
    'launcher/invoke/registry.ts: keepResult(known, attempt)',
    'plugins/integrations/stream-events.ts: stream.closed.then(() => gone.abort())',
    'plugins/runs/endpoints/invoke.ts: stream.closed.then(() => gone.abort())',
    'plugins/runs/endpoints/run.ts: stream.closed.then(() => gone.abort())',
    'plugins/providers/mock/mock-adapter.ts: sink.data(Buffer.from(JSON.stringify(body)))',
    'local/workloads/replica.ts: live.process?.stop(graceMs)',
  ],
  'handles its errors itself': [
    'core/messaging/bus/nats-connection.ts: dial()',
    'core/host/process/host.ts: readiness.watch(watching.signal)',
    'core/telemetry/otlp.ts: flush()',
    'core/telemetry/otlp-metrics.ts: push()',
    'plugins/audit/queue.ts: flush()',
    'plugins/providers/gateway/call-model.ts: inner.metering.answered({',
    'plugins/agents/reconcile/revision-author.ts: follow(agent, revision)',
    'plugins/runs/run-watch.ts: poll()',
    'plugins/runs/worker/follow.ts: stopAtLauncher(launcher, signal)',
    'plugins/runs/worker/launcher-connections.ts: report(target, connected)',
    'plugins/runs/worker/loop.ts: one.done.finally(() => {',
    'local/apiserver/storage/journal.ts: run()',
    "local/workloads/replica.ts: probe(port, began.signal, (ready) => report({ is: 'running', startedAt, ready }))",
    "local/workloads/replica.ts: report({ is: 'running', startedAt, ready: false, silentPort })",
  ],
  'the process ends with it': ['launcher/main.ts: lifeline?.then(() => endOrphaned(launcher, agent.process))'],
}

test('PODA1: no promise is dropped: a rejection that no code handles ends the process', () => {
  const files = readSources(root)
    .map(({ path }) => path)
    .filter((path) => !isTest(path) && !path.startsWith('scripts/') && !path.endsWith('.contract.ts'))
  const found = droppedPromises(root, [...files, fixture])
  const marked = readFileSync(join(root, fixture), 'utf8')
    .split('\n')
    .flatMap((line, index) => (line.endsWith('// <-') ? [index + 1] : []))
  assert.deepEqual(
    found.filter(({ path }) => path === fixture).map(({ line }) => line),
    marked,
    'the examples',
  )
  const dropped = found.filter(({ path }) => path !== fixture).map(({ path, text }) => `${path}: ${text}`)
  const known = new Set(Object.values(settled).flat())
  assert.deepEqual(
    dropped.filter((one) => !known.has(one)),
    [],
    'add a catch',
  )
  assert.deepEqual(
    [...known].filter((one) => !dropped.includes(one)),
    [],
    'listed, and not in the code any more',
  )
})
