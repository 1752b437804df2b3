import { Type, defineEvent } from '@mesh.dev/mesh/plugin'

const data = Type.Object({ runId: Type.String(), person: Type.String(), step: Type.Integer() })
const seenBy = { verb: 'get', resource: 'rotas', group: 'oncall.example' }
const audit = { action: 'acknowledge', resourceKind: 'Rota' }
const own = { domain: 'com.example', plugin: 'oncall', data, seenBy }

export const paged = defineEvent({ ...own, fact: 'paged', summary: 'A person was paged.' })
export const acknowledged = defineEvent({ ...own, fact: 'acknowledged', summary: 'A page was acknowledged.', audit })

export const openPages = {
  name: 'oncall.pages',
  version: 1,
  tables: ['x_oncall_pages'],
  types: [paged, acknowledged],
  apply: async ({ type, time, subject: { namespace, name: rota }, data: { runId: run, person, step } }, tx) => {
    await tx.deleteFrom('x_oncall_pages').where('run', '=', run).where('rota', '=', rota).execute()
    if (type !== paged.type) return
    await tx.insertInto('x_oncall_pages').values({ namespace, rota, run, person, step, paged_at: time }).execute()
  },
}
