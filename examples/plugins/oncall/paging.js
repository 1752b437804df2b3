import { TaskFailure, Type, defineTask, handleTask } from '@mesh.dev/mesh/plugin'
import { paged } from './events.js'

export const page = defineTask({
  name: 'oncall.page',
  payload: Type.Object({ runId: Type.String(), rota: Type.String(), step: Type.Integer() }),
  maxAttempts: 5,
})

export const sendPage = ({ store, outbound }) =>
  handleTask(page, async ({ namespace, payload: { runId, rota, step } }, context) => {
    const rotas = store.reader().selectFrom('x_oncall_rotas').selectAll().where('namespace', '=', namespace)
    const found = await rotas.where('name', '=', rota).executeTakeFirst()
    const person = found?.people[step]
    // The rota was deleted or has no further person.
    if (person === undefined) return
    const body = JSON.stringify({ person, namespace, runId })
    const headers = { 'content-type': 'application/json' }
    const { status } = await outbound.request({
      url: found.webhook,
      method: 'POST',
      headers,
      body,
      signal: context.signal,
    })
    if (status >= 300) throw new TaskFailure(`status_${status}`)
    await store.transact(async (tx) => {
      const subject = { namespace, kind: 'Rota', name: rota }
      await tx.append(`oncall/${namespace}/${runId}`, 'any', [{ type: paged, subject, data: { runId, person, step } }])
      await context.complete(tx)
    })
  })

export const escalate = ({ store, tasks, now, escalateSeconds }) => ({
  name: 'oncall.escalate',
  leaderOnly: true,
  every: Math.min(60, escalateSeconds) * 1_000,
  run: async () => {
    await store.transact(async (tx) => {
      const before = new Date(now().getTime() - escalateSeconds * 1_000)
      const late = tx.tables().selectFrom('x_oncall_pages').selectAll().where('paged_at', '<', before)
      for (const { namespace, run: runId, rota, step } of await late.execute())
        await tasks.enqueue(tx, page, {
          namespace,
          key: `${runId}/${rota}/${step + 1}`,
          payload: { runId, rota, step: step + 1 },
        })
    })
  },
})
