import assert from 'node:assert/strict'
import test from 'node:test'
import { until } from '#test/chaos/until.ts'
import { createScope } from '#test/chaos/closing-scope.ts'
import { INIT_COMMAND } from '#schemas/launcher/launcher.ts'
import { countOf } from '#test/harness/counts.ts'
import { at } from './api.ts'
import { sharedCluster } from './cluster-fixture.ts'
import { makeAgentImage } from './agent-image.ts'
import { signalProcesses } from './pod-processes.ts'
import { createProbeAgents, probeRuntime } from './probe-agents.ts'
import { startWitness } from './witness.ts'

const finalizer = 'test.mesh.dev/read-status'
const tini = '/mesh/tini'

test('P1, P2, P3: processes of agent pods, in each form of agent', { timeout: 600_000 }, async (t) => {
  const fixture = await sharedCluster()
  const { cluster } = fixture
  const images = createScope()
  const image = makeAgentImage(images, 'probe', new URL('probe-agent.mjs', import.meta.url))
  await cluster.load([image.archive]).finally(() => images.close())
  const agents = await createProbeAgents(t, fixture, 'processes')
  const witness = await startWitness(t, cluster.hostAddress)
  const env = [
    { name: 'WITNESS', value: witness.url },
    { name: 'EXIT_CODE', value: '3' },
  ]
  await agents.add('AgentDeployment', 'plain', { model: { route: 'mock' }, systemPrompt: 'You help.' })
  await agents.add('AgentDeployment', 'own', { image: image.ref, runtime: { env } })
  await agents.apply('worker', { runtime: { ...probeRuntime, env } })
  await agents.ready('plain', 'own', 'worker')
  const step = (name: string, work: () => Promise<void>) => t.test(name, () => agents.explain(work))
  const terminated = async (name: string): Promise<unknown> =>
    until(`the container of ${name} has ended`, async () => {
      const statuses = at(await agents.pod(name), 'status', 'containerStatuses')
      return at(statuses, 0, 'lastState', 'terminated')
    })

  await step('three forms: the launcher is a sidecar before the agent, or the only container', async () => {
    const platformImage = 'mesh.local/mesh-launcher:dev'
    for (const [name, expected] of Object.entries({ plain: undefined, own: image.ref, worker: platformImage })) {
      const { spec, status } = (await agents.pod(name)) as { readonly spec: unknown; readonly status: unknown }
      const launcher = expected === undefined ? at(spec, 'containers', 0) : at(spec, 'initContainers', 0)
      assert.deepEqual(
        [
          at(launcher, 'image'),
          at(launcher, 'restartPolicy'),
          at(launcher, 'command', 0),
          at(spec, 'shareProcessNamespace'),
        ],
        [platformImage, expected === undefined ? undefined : 'Always', tini, undefined],
        name,
      )
      if (expected === undefined) {
        assert.equal(at(spec, 'initContainers'), undefined)
        continue
      }
      const [agent, started] = [
        at(spec, 'containers', 0),
        at(status, 'initContainerStatuses', 0, 'state', 'running', 'startedAt'),
      ]
      assert.equal(at(agent, 'image'), expected, name)
      const later = String(at(status, 'containerStatuses', 0, 'state', 'running', 'startedAt'))
      assert.ok(String(started) <= later, `${name}: the launcher starts first`)
      const volumes = (at(agent, 'volumeMounts') as unknown[] | undefined) ?? []
      assert.deepEqual(
        volumes.map((one) => at(one, 'name')).filter((one) => one !== 'agent-tokens'),
        [],
        name,
      )
    }
    assert.deepEqual(await agents.probe('worker', { first: null }), [INIT_COMMAND[0]])
    assert.deepEqual(await agents.probe('own', { first: null }), ['/bin/node'], 'an image keeps its entrypoint')
    assert.match(JSON.stringify(await agents.ended(await agents.start('plain', 'Hi'))), /"state":"succeeded"/)
  })
  await step('P1: the first process collects orphans: no zombie is left', async () => {
    const each = 250
    const processes = countOf(4, 40)
    const [before] = await agents.probe('worker', { processes: null })
    await agents.probe('worker', { orphans: { processes, each } })
    await until('all orphans are collected', async () => {
      const [found] = await agents.probe('worker', { processes: null })
      assert.deepEqual(found, before)
      return true
    })
    assert.equal(at(before, 'zombies'), 0)
  })
  await step('P2: a signal reaches the group of the agent', async () => {
    await agents.probe('worker', { child: null })
    const uid = String(at(await agents.pod('worker'), 'metadata', 'uid'))
    signalProcesses(uid, { first: tini, part: 'AGENT_PORT' }, 'SIGHUP')
    await until('both processes have it', () => witness.notes.filter((one) => one.endsWith('SIGHUP')).length === 2)
    assert.deepEqual(witness.notes.toSorted(), ['agent SIGHUP', 'child SIGHUP'])
  })
  await step('P2: exit code and signal of the agent are those of its container', async () => {
    for (const [action, code] of [
      [{ exit: 7 }, 7],
      [{ kill: 'SIGUSR2' }, 140],
    ] as const) {
      const before = at(await agents.pod('worker'), 'status', 'containerStatuses', 0, 'restartCount')
      const run = await agents.ended(await agents.start('worker', [action]))
      assert.equal(at(run, 'state'), 'failed', JSON.stringify(run))
      await until('it has restarted', async () => {
        const status = at(await agents.pod('worker'), 'status', 'containerStatuses', 0)
        return at(status, 'restartCount') === Number(before) + 1 && at(status, 'ready') === true
      })
      assert.equal(at(await terminated('worker'), 'exitCode'), code)
    }
    const launcher = at(await agents.pod('worker'), 'status', 'initContainerStatuses', 0)
    assert.equal(at(launcher, 'restartCount'), 0, 'the launcher stays')
  })
  await step(
    'P3: a pod that is deleted ends its run first, then its agent and its launcher with their codes',
    async () => {
      await agents.probe('worker', { child: null })
      const seen = witness.notes.length
      const pod = String(at(await agents.pod('worker'), 'metadata', 'name'))
      // Keeps the object of the ended pod, which has the exit codes.
      await agents.kubectl([
        'patch',
        'pod',
        pod,
        '--type=merge',
        '-p',
        JSON.stringify({ metadata: { finalizers: [finalizer] } }),
      ])
      const run = await agents.start('worker', [{ note: 'run begins' }, { pause: 4_000 }, { note: 'run ends' }])
      await until('the run has begun', () => witness.notes.includes('run begins'))
      await agents.kubectl(['delete', 'pod', pod, '--wait=false'])
      assert.equal(at(await agents.ended(run), 'state'), 'succeeded')
      const codes = await until(
        'both containers have ended',
        async () => {
          const { status } = JSON.parse(await agents.kubectl(['get', 'pod', pod, '-o', 'json'])) as { status: unknown }
          const found = ['containerStatuses', 'initContainerStatuses'].map((one) =>
            at(status, one, 0, 'state', 'terminated', 'exitCode'),
          )
          return found.every((one) => one !== undefined) && found
        },
        90_000,
      )
      await agents.kubectl(['patch', 'pod', pod, '--type=merge', '-p', '{"metadata":{"finalizers":null}}'])
      assert.deepEqual(codes, [3, 0], 'of the agent and of its launcher')
      const [begins, ends, ...signals] = witness.notes.slice(seen)
      assert.deepEqual([begins, ends], ['run begins', 'run ends'])
      assert.deepEqual(signals.toSorted(), ['agent SIGTERM', 'child SIGTERM'])
    },
  )
})
