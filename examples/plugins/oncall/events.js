import { Type, defineEvent } from '@mesh.dev/mesh/plugin'

const fact = (name, summary, more = {}) =>
  defineEvent({
    domain: 'com.example',
    plugin: 'oncall',
    fact: name,
    summary,
    data: Type.Object({ runId: Type.String(), person: Type.String(), step: Type.Integer() }),
    seenBy: { verb: 'get', resource: 'rotas', group: 'oncall.example' },
    ...more,
  })

export const paged = fact('paged', 'A person was paged.')
export const acknowledged = fact('acknowledged', 'A page was acknowledged.', {
  audit: { action: 'acknowledge', resourceKind: 'Rota' },
})

export const openPages = {
  name: 'oncall.pages',
  version: 1,
  tables: ['x_oncall_pages'],
  types: [paged, acknowledged],
  apply: async ({ type, time, subject: { namespace, name: rota }, data }, tx) => {
    const { runId: run, person, step } = data
    await tx.deleteFrom('x_oncall_pages').where('run', '=', run).where('rota', '=', rota).execute()
    if (type !== paged.type) return
    await tx.insertInto('x_oncall_pages').values({ namespace, rota, run, person, step, paged_at: time }).execute()
  },
}
