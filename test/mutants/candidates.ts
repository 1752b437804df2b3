import type { Mutant } from './mutant.ts'

const candidates = ['plugins/agents/reconcile/candidate/candidate.test.ts']
const status = ['plugins/agents/reconcile/candidate/candidate-status.test.ts']
const replicas = ['plugins/agents/reconcile/parts/replicas.test.ts']
const beside = 'embedded: a held revision runs beside'

/** Defects in candidates, replicas and events of agents. */
export const mutants: readonly Mutant[] = [
  {
    name: 'Services select the pods of a candidate',
    file: 'plugins/agents/reconcile/candidate/build-candidate.ts',
    find: 'const { [AGENT_LABEL]: _, ...labels } = metadata.labels',
    replace: 'const labels = { ...metadata.labels, [AGENT_LABEL]: agent.metadata.name }',
    tests: candidates,
    only: beside,
  },
  {
    name: 'runs without a revision reach a candidate on the embedded default',
    file: 'local/workloads/start-workloads.ts',
    find: '? labels[AGENT_LABEL] === name',
    replace: '? labels[AGENT_LABEL] === name || labels[CANDIDATE_LABEL] === name',
    tests: ['local/workloads/workloads.test.ts'],
    only: 'a candidate is a process',
  },
  {
    name: 'a run of another revision reaches a candidate',
    file: 'core/cluster/endpoint-slices.ts',
    find: 'if (candidate?.number !== service.candidate) return []',
    replace: 'if (candidate === undefined) return []',
    tests: candidates,
    only: beside,
  },
  {
    name: 'a run for a candidate goes to the Service',
    file: 'core/cluster/endpoint-slices.ts',
    find: 'if (candidate !== undefined) return []',
    replace: '',
    tests: candidates,
    only: beside,
  },
  {
    name: 'a candidate takes a run that names no revision',
    file: 'launcher/listeners/invoke/run-handlers.ts',
    find: 'wanted === undefined ? isCandidate !== true :',
    replace: 'wanted === undefined ? true :',
    tests: ['launcher/listeners/invoke/authorizer.test.ts'],
    only: 'a candidate takes no run',
  },
  {
    name: 'members of a registry may call a candidate',
    file: 'plugins/agents/reconcile/candidate/build-candidate.ts',
    find: '{ takesCalls: false }',
    replace: '{ takesCalls: true }',
    tests: status,
  },
  {
    name: 'a candidate runs while another gate waits for what it needs',
    file: 'plugins/agents/reconcile/candidate/read-candidate.ts',
    find: 'held.every(',
    replace: 'held.some(',
    tests: status,
  },
  {
    name: 'pods of a candidate outlive their NetworkPolicy',
    file: 'plugins/agents/reconcile/candidate/apply-candidate.ts',
    find: 'if ((await listCandidatePods(cluster, agent)).length > 0) return true',
    replace: '',
    tests: candidates,
    only: beside,
  },
  {
    name: 'policies of a refused candidate are made and removed without end',
    file: 'plugins/agents/reconcile/candidate/apply-candidate.ts',
    find: 'for (const object of objects) await requireAccepted(cluster, agent, object)',
    replace: '',
    tests: candidates,
    only: 'embedded: a candidate whose name is taken',
  },
  {
    name: 'a candidate that was superseded still runs',
    file: 'plugins/agents/reconcile/candidate/apply-candidate.ts',
    find: 'await removeWorkloads(cluster, agent, revision)',
    replace: '',
    tests: candidates,
    only: 'embedded: a newer revision',
  },
  {
    name: 'a plugin scales an agent that an autoscaler scales',
    file: 'plugins/agents/reconcile/parts/ask-replicas.ts',
    find: 'if (autoscaler !== undefined)',
    replace: "if (autoscaler === '')",
    tests: replicas,
    only: 'the spec, an autoscaler',
  },
  {
    name: 'the first of two plugins that scale an agent wins',
    file: 'plugins/agents/reconcile/parts/ask-replicas.ts',
    find: 'if (proposals.length > 1)',
    replace: 'if (proposals.length > 9)',
    tests: replicas,
    only: 'the spec, an autoscaler',
  },
  {
    name: 'a transition is published again by a manager that starts',
    file: 'plugins/agents/reconcile/facts/agent-facts.ts',
    find: 'facts.push({ id, type, subject, data, actor, time: new Date(since) })',
    replace: 'facts.push({ id: `${id}/${Math.random()}`, type, subject, data, actor, time: new Date(since) })',
    tests: ['plugins/agents/reconcile/facts/publish-facts.test.ts'],
  },
  {
    name: 'a plugin creates agents outside the namespace of its proof',
    file: 'plugins/agents/authoring/create-authored.ts',
    find: "(access.namespace === '' || access.namespace === namespace)",
    replace: 'true',
    tests: ['plugins/agents/authoring/create-authored.test.ts'],
  },
  {
    name: 'an agent that the cluster refuses leaves the documents of its file',
    file: 'plugins/agents/authoring/create-authored.ts',
    find: 'if (owned.length > 0 && !options.dryRun) await send(caller, agent, { ...options, dryRun: true })',
    replace: '',
    tests: ['plugins/agents/authoring/create-authored.test.ts'],
  },
]
