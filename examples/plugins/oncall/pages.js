import { Fail, Type, defineCommand, endpoint } from '@mesh.dev/mesh/plugin'
import { acknowledged } from './events.js'

const review = (verb) => ({
  kind: 'review',
  verb,
  resource: 'rotas.oncall.example',
  namespace: { in: 'path', field: 'ns' },
})
const Page = Type.Object({ rota: Type.String(), run: Type.String(), person: Type.String() })

export const listPages = ({ store }) =>
  endpoint({
    method: 'GET',
    url: '/pages/:ns',
    summary: 'List the open pages of a namespace.',
    authz: review('list'),
    response: { 200: Type.Object({ items: Type.Array(Page) }) },
    handle: async ({ access }) => {
      const rows = store.reader().selectFrom('x_oncall_pages').select(['rota', 'run', 'person'])
      return { items: await rows.where('namespace', '=', access.namespace).orderBy('paged_at').limit(100).execute() }
    },
  })

export const acknowledgePage = ({ store }) =>
  endpoint({
    method: 'POST',
    url: '/pages/:ns/:name/acknowledge',
    summary: 'Acknowledge the pages of a run.',
    authz: review('update'),
    response: { 200: Type.Object({ items: Type.Array(Page) }) },
    handle: async ({ caller, access: { namespace }, params: { name: run } }) => {
      const rows = store.reader().selectFrom('x_oncall_pages').selectAll().where('namespace', '=', namespace)
      const open = await rows.where('run', '=', run).execute()
      if (open.length === 0) throw new Fail('not_found')
      const facts = open.map(({ rota, person, step }) => ({
        type: acknowledged,
        subject: { namespace, kind: 'Rota', name: rota },
        actor: { name: caller.username, kind: 'user' },
        data: { runId: run, person, step },
      }))
      await store.transact((tx) => tx.append(`oncall/${namespace}/${run}`, 'any', facts))
      return { items: open.map(({ rota, person }) => ({ rota, run, person })) }
    },
  })

export const printPages = defineCommand({
  words: 'oncall pages',
  summary: 'list the open pages of a namespace',
  options: { namespace: { value: 'NAME', default: 'default', help: 'namespace of the rotas' } },
  load:
    async () =>
    async ({ values, api, out }) => {
      const { items } = await (await api()).get(['x', 'oncall', 'pages', values.namespace])
      for (const { run, rota, person } of items) out(`${run} ${rota} ${person}\n`)
      return 0
    },
})
