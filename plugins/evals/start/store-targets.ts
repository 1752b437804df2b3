import { canonicalJson } from '#core/json/canonical-json.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import type { EvalTables, OnlineSpec } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { listGatedAgents } from './start-gated.ts'
import { readTargets, replaceTargets } from '../store/online-targets.ts'
import type { OnlineTarget } from '../store/online-targets.ts'

/** Stores which agents' runs a suite scores: those whose gate names it. The worker cannot read them at the cluster. */
export async function storeTargets(
  { store, core }: Pick<EvalsServices, 'store' | 'core'>,
  cluster: KubeClient,
  suite: EvalSuiteObject,
): Promise<void> {
  const { namespace = '', uid: suiteUid = '', name } = suite.metadata
  const namespaceUid = await core.observed.namespaceUid(namespace)
  // The object index lags behind; the next reconciliation finds it.
  if (namespaceUid === undefined) return
  const spec = toSpec(suite)
  const agents = spec === undefined ? [] : await listGatedAgents(cluster, suite)
  const wanted = agents.flatMap(({ metadata: { name: agent, uid } }): readonly OnlineTarget[] =>
    spec === undefined || uid === undefined
      ? []
      : [{ agent_uid: uid, namespace, namespace_uid: namespaceUid, agent, suite: name, suite_uid: suiteUid, spec }],
  )
  const targets = wanted.toSorted((a, b) => (a.agent_uid < b.agent_uid ? -1 : 1))
  if (canonicalJson(await readTargets(store.reader<EvalTables>(), suiteUid)) === canonicalJson(targets)) return
  await store.transact((tx) => replaceTargets(tx.tables<EvalTables>(), suiteUid, targets))
}

function toSpec({ spec }: EvalSuiteObject): OnlineSpec | undefined {
  const { online, judge, evaluators } = spec
  if (online === undefined || online.sampleRate === 0) return undefined
  const named = new Set(online.evaluators)
  const route = judge === undefined ? {} : { judge: judge.route.name }
  return { ...online, ...route, evaluators: evaluators.filter(({ name }) => named.has(name)) }
}
