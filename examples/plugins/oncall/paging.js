import { TaskFailure, Type, defineTask, event, handleTask, on } from '@mesh.dev/mesh/plugin'
import { paged } from './events.js'
import { Rota } from './kinds.js'

const failed = event('dev.mesh.runs.failed.v1')
const payload = Type.Object({ runId: Type.String(), rota: Type.String(), step: Type.Integer() })
const page = defineTask({ name: 'oncall.page', payload, maxAttempts: 5 })

const taskFor = (namespace, { runId, rota, step }) => ({
  namespace,
  key: `${runId}/${rota}/${step}`,
  payload: { runId, rota, step },
})

export const pageForFailures = ({ tasks }, indexed) =>
  on('oncall.failures', [failed], { order: 'none', from: 'now' }, async (events, tx) => {
    for (const { subject, data } of events) {
      const { namespace } = subject
      const rotas = await indexed.within(tx).list(Rota, { namespace, limit: 100 })
      for (const { name: rota } of rotas)
        await tasks.enqueue(tx, page, taskFor(namespace, { runId: data.runId, rota, step: 0 }))
    }
  })

export const sendPage = ({ store, outbound }, indexed) =>
  handleTask(page, async ({ namespace, payload: { runId, rota, step } }, context) => {
    const found = await indexed.get(Rota, namespace, rota)
    const { webhook: url, people = [] } = found?.spec ?? {}
    // The rota was deleted or has no further person.
    if (people[step] === undefined) return
    const person = people[step]
    const body = JSON.stringify({ person, namespace, runId })
    const headers = { 'content-type': 'application/json' }
    const { status } = await outbound.request({ url, method: 'POST', headers, body, signal: context.signal })
    if (status >= 300) throw new TaskFailure(`status_${status}`)
    const fact = { type: paged, subject: { namespace, kind: 'Rota', name: rota }, data: { runId, person, step } }
    await store.transact(async (tx) => {
      await tx.append(`oncall/${namespace}/${runId}`, 'any', [fact])
      await context.complete(tx)
    })
  })

export const escalate = ({ store, tasks, now, escalateSeconds }) => ({
  name: 'oncall.escalate',
  leaderOnly: true,
  every: Math.min(60, escalateSeconds) * 1_000,
  run: () =>
    store.transact(async (tx) => {
      const before = new Date(now().getTime() - escalateSeconds * 1_000)
      const late = tx.tables().selectFrom('x_oncall_pages').selectAll().where('paged_at', '<', before)
      for (const { namespace, run: runId, rota, step } of await late.execute())
        await tasks.enqueue(tx, page, taskFor(namespace, { runId, rota, step: step + 1 }))
    }),
})
