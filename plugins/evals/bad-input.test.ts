import assert from 'node:assert/strict'
import test from 'node:test'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import type { EvalTables } from './contract/tables.ts'
import { executeEvaluation } from './execute/executor.ts'
import type { EvaluationRun } from './execute/step.ts'
import { createEvalGate } from './gate/gate.ts'
import { changeEvaluation, findEvaluation, insertEvaluation } from './store/evaluations.ts'
import { openOnline } from './testing/online-rig.ts'

const spec = {
  datasetRef: { name: 'd' },
  evaluators: [{ name: 'polite', type: 'contains', config: { values: ['please'] } }],
  minScore: 0.5,
}

/** Stores an evaluation of the revision `robot-2` by a suite. */
async function evaluate(store: Store, suite: string): Promise<string> {
  const id = uuidV7()
  await store.transact((tx) =>
    insertEvaluation(tx.tables<EvalTables>(), {
      id,
      namespace: 'default',
      namespace_uid: 'ns-uid',
      suite,
      suite_uid: `${suite}-uid`,
      suite_spec: spec,
      agent: 'robot',
      agent_uid: 'uid-1',
      revision: 2,
      revision_name: 'robot-2',
      origin: 'gate',
      min_score: 0.5,
      baseline_revision: null,
      created_by: 'ada',
      created_at: new Date(),
      prepared: {},
    }),
  )
  return id
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: of two suites for one agent only that of its gate lets a revision serve`, { skip }, async (t) => {
    const { world } = await openOnline(t, open)
    const { store } = world
    const end = async (id: string, phase: 'Passed' | 'Failed') => {
      const change = { phase, score: phase === 'Passed' ? 1 : 0, message: phase }
      await store.transact((tx) => changeEvaluation(tx.tables<EvalTables>(), id, change))
    }
    const cluster = {
      get: async <O extends KubeObject>(_: unknown, { name: suite }: { readonly name: string }) => {
        const metadata = { name: suite, namespace: 'default', uid: `${suite}-uid` }
        return EvalSuite.object({ metadata, spec }) as KubeObject as O
      },
    }
    const agent = AgentDeployment.object({
      metadata: { name: 'robot', namespace: 'default', uid: 'uid-1' },
      spec: { evalGate: { suiteRef: { name: 'strict' } } },
    })
    const gate = createEvalGate({ store })
    const hold = async () => (await gate({ agent, revision: 'robot-2', deployed: undefined }, cluster))?.reason
    await end(await evaluate(store, 'loose'), 'Passed')
    assert.equal(await hold(), 'Pending', 'another suite has passed it')
    await end(await evaluate(store, 'strict'), 'Failed')
    await end(await evaluate(store, 'loose'), 'Passed')
    assert.equal(await hold(), 'Failed')
    await end(await evaluate(store, 'strict'), 'Passed')
    await end(await evaluate(store, 'loose'), 'Failed')
    assert.equal(await hold(), undefined, 'and no other suite holds it')
  })

  test(`${name}: an evaluation whose dataset is deleted ends with the reason`, { skip }, async (t) => {
    const { world, online } = await openOnline(t, open)
    const { store } = world
    const id = await evaluate(store, 'strict')
    const dataset = JSON.stringify({ datasetId: uuidV7(), mark: 1, version: null, digest: 'sha256:0', cases: 3 })
    await store.transact((tx) => changeEvaluation(tx.tables<EvalTables>(), id, { dataset, phase: 'Running' }))
    const gone = () => Promise.reject(new Fail('not_found', 'The dataset of the snapshot was deleted.'))
    const absent = () => Promise.reject(new Error('the evaluation has no cases'))
    const { signal } = new AbortController()
    const run: EvaluationRun = {
      id,
      signal,
      cancelled: signal,
      save: ({ also }) => store.transact(async (tx) => also?.(tx)),
      prepareChild: absent,
      queueChild: absent,
      children: absent,
      toolsOf: absent,
    }
    const services = { ...online, now: () => new Date(), datasets: { readCases: gone } }
    assert.equal((await executeEvaluation(services, run, online)).state, 'succeeded')
    const ended = await findEvaluation(store.reader<EvalTables>(), id)
    assert.deepEqual(
      [ended?.phase, ended?.reason, ended?.message, ended?.score],
      ['Error', 'DatasetNotFound', 'The dataset was deleted while its cases were read.', null],
    )
    assert.ok(ended?.finished_at, 'it has ended')
  })
}
