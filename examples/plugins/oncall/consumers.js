import { event, on } from '@mesh.dev/mesh/plugin'
import { page } from './paging.js'

const failed = event('dev.mesh.runs.failed.v1')

export const pageForFailures = ({ tasks }) =>
  on('oncall.failures', [failed], { order: 'none', from: 'now' }, async (events, tx) => {
    for (const { subject, data } of events) {
      const { namespace } = subject
      const found = tx.tables().selectFrom('x_oncall_rotas').select('name').where('namespace', '=', namespace)
      for (const { name: rota } of await found.execute())
        await tasks.enqueue(tx, page, {
          namespace,
          key: `${data.runId}/${rota}/0`,
          payload: { runId: data.runId, rota, step: 0 },
        })
    }
  })
