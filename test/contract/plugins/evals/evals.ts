import { contribute, crud, defineKind, definePlugin, endpoint, need, point, Type } from '@mesh.dev/mesh/plugin'
import type {
  Caller,
  ChildRun,
  ExecutorRun,
  ManagerContext,
  ObjectOf,
  PreparedRun,
  RunExecutor,
  RunsApi,
  Store,
} from '@mesh.dev/mesh/plugin'

interface Account {
  readonly namespace: string
  readonly name: string
}

const EvalSuite = defineKind({
  group: 'acme.example',
  kind: 'EvalRecord',
  plural: 'evalrecords',
  description: 'Cases for an agent.',
  spec: Type.Object({
    agent: Type.String(),
    cases: Type.Array(Type.String(), { minItems: 1, maxItems: 20 }),
    /** The account for which the cases run every minute. */
    serviceAccount: Type.Optional(Type.String()),
  }),
  status: Type.Object({ cases: Type.Integer() }),
})
type Suite = ObjectOf<typeof EvalSuite>
const permission = { verb: 'create', resource: 'evalrecords/run', group: 'acme.example' }

const executor: RunExecutor = {
  kind: 'eval',
  permission,
  async execute(run: ExecutorRun) {
    const { agent, cases } = run.input as { readonly agent: string; readonly cases: readonly PreparedRun[] }
    if (run.checkpoint === null) {
      await run.save({
        entries: [{ kind: 'step.started', data: { step: `${cases.length} cases` } }],
        checkpoint: { queued: cases.length, agent },
        also: async (tx) => {
          for (const one of cases) await run.queueChild(tx, one)
        },
      })
      return { state: 'waiting', afterMs: 100 }
    }
    const children = await run.children()
    const ended = children.filter(({ state }) => !['queued', 'running', 'paused', 'cancelling'].includes(state))
    run.progress({ done: ended.length, total: cases.length + 1 })
    if (ended.length < children.length) return { state: 'waiting', afterMs: 100 }
    const scored = children.slice(0, cases.length)
    const passed = scored.filter(({ state, output }) => state === 'succeeded' && output !== null).length
    const summary = children[cases.length]
    if (summary !== undefined)
      return { state: 'succeeded', output: { cases: cases.length, passed, summary: summary.state } }
    await queueSummary(run, scored)
    return { state: 'waiting', afterMs: 100 }
  },
}

/** The second step: its input is the output of the cases. */
async function queueSummary(run: ExecutorRun, scored: readonly ChildRun[]): Promise<void> {
  const { agent } = run.checkpoint as { readonly agent: string }
  const prepared = await run.prepareChild({
    agent: { namespace: run.namespace, name: agent },
    input: scored.map(({ output }) => output),
    trigger: 'eval',
  })
  await run.save({ also: async (tx) => void (await run.queueChild(tx, prepared)) })
}

interface Parts {
  readonly store: Store
  readonly runs: RunsApi
}

const inputs = ({ spec, metadata: { namespace = '', name } }: Suite) => ({
  parent: { executor: { kind: 'eval', namespace, object: name } },
  children: spec.cases.map((input) => ({ agent: { namespace, name: spec.agent }, input, trigger: 'eval' })),
})

const runFor = async ({ runs, store }: Parts, caller: Caller, suite: Suite) => {
  const { parent, children } = inputs(suite)
  const { namespace, object: name } = parent.executor
  const where = { namespace: namespace as never }
  const may = await caller.review(permission.verb, permission.resource, { ...where, name, group: permission.group })
  const invoke = await caller.review('create', 'agentdeployments/invoke', { ...where, name: suite.spec.agent })
  const cases = await Promise.all(children.map((child) => runs.prepare(caller, invoke, child)))
  const input = { agent: suite.spec.agent, cases }
  const prepared = await runs.prepare(caller, may, { ...parent, input, trigger: 'eval' })
  return store.transact((tx) => runs.queueIn(tx, prepared))
}

const runAs = async ({ runs, store }: Parts, manager: ManagerContext, account: Account, suite: Suite) => {
  const { parent, children } = inputs(suite)
  const cases = await Promise.all(children.map((child) => runs.prepareAs(manager, account, child)))
  const input = { agent: suite.spec.agent, cases }
  const prepared = await runs.prepareAs(manager, account, { ...parent, input, trigger: 'schedule' })
  return store.transact((tx) => runs.queueIn(tx, prepared))
}

const listScheduled = async (cluster: ManagerContext['cluster']) =>
  (await cluster.list<Suite>(EvalSuite)).items.filter(({ spec }) => spec.serviceAccount !== undefined)

/** A third party's evaluations: a kind with a reconciler, runs of cases on behalf of a caller, and of an account by cron. */
// oxlint-disable-next-line import/no-default-export -- the form of a third-party plugin
export default definePlugin({
  contract: 1,
  name: 'records',
  settings: Type.Object({}),
  requires: ['store'],
  needs: { runs: need('runs') },
  kinds: [crud(EvalSuite, { verbs: ['list', 'get', 'create', 'delete'], sample: { agent: 'hello', cases: ['Hi'] } })],
  access: [
    { group: 'acme.example', resource: 'evalrecords/run', developer: ['create'] },
    { group: 'acme.example', resource: 'evalrecords/status', manager: ['get', 'patch'] },
  ],
  create: ({ store, log }, _settings, { runs }) => ({ store, log, runs }),
  contributions: () => [contribute(point('runs.executor'), executor)],
  routes: (services) => [
    endpoint({
      method: 'POST',
      url: '/evalrecords/:ns/:name/run',
      id: 'runEvaluation',
      summary: 'Run the cases of a suite.',
      authz: { kind: 'kube', verb: 'get', resource: 'evalrecords' },
      response: { 201: Type.Object({ runId: Type.String(), state: Type.String() }) },
      handle: async (call) => {
        const { ns, name } = call.params as { readonly ns: never; readonly name: never }
        const suite = await call.caller.cluster.get<Suite>(EvalSuite, { namespace: ns, name })
        return runFor(services, call.caller, suite)
      },
    }),
  ],
  reconcilers: (_services, { cluster }) => [
    {
      name: 'records',
      resource: EvalSuite,
      reconcile: async (ref, suite) => {
        const cases = (suite as Suite | undefined)?.spec.cases.length
        if (cases !== undefined && (suite as Suite).status?.cases !== cases)
          await cluster.patch(EvalSuite, ref, { type: 'merge', body: { status: { cases } } }, { subresource: 'status' })
        return {}
      },
    },
  ],
  jobs: (services, context) =>
    context.role !== 'manager'
      ? []
      : [
          {
            name: 'records.schedule',
            leaderOnly: true,
            cron: '* * * * *',
            run: async () => {
              for (const suite of await listScheduled(context.cluster)) {
                const { namespace = '' } = suite.metadata
                const account = { namespace, name: suite.spec.serviceAccount ?? '' }
                await runAs(services, context, account, suite).catch((error: unknown) =>
                  services.log.warn({ namespace, why: (error as Error).message }, 'evaluation not started'),
                )
              }
            },
          },
        ],
})
