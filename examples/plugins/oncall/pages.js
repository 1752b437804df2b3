import { Fail, Type, defineCommand, endpoint } from '@mesh.dev/mesh/plugin'
import { acknowledged } from './events.js'

const namespace = { in: 'path', field: 'ns' }
const review = (verb) => ({ kind: 'review', verb, resource: 'rotas.oncall.example', namespace })
const Page = Type.Object({ rota: Type.String(), run: Type.String(), person: Type.String() })
const response = { 200: Type.Object({ items: Type.Array(Page) }) }
const openIn = (store, access) =>
  store.reader().selectFrom('x_oncall_pages').selectAll().where('namespace', '=', access.namespace)

export const listPages = ({ store }) =>
  endpoint({
    method: 'GET',
    url: '/pages/:ns',
    summary: 'List the open pages of a namespace.',
    authz: review('list'),
    response,
    handle: async ({ access }) => ({ items: await openIn(store, access).orderBy('paged_at').limit(100).execute() }),
  })

export const acknowledgePage = ({ store }) =>
  endpoint({
    method: 'POST',
    url: '/pages/:ns/:name/acknowledge',
    summary: 'Acknowledge the pages of a run.',
    authz: review('update'),
    response,
    handle: async ({ caller, access, params: { name: run } }) => {
      const items = await openIn(store, access).where('run', '=', run).execute()
      if (items.length === 0) throw new Fail('not_found')
      const facts = items.map(({ rota, person, step }) => ({
        type: acknowledged,
        subject: { namespace: access.namespace, kind: 'Rota', name: rota },
        actor: { name: caller.username, kind: 'user' },
        data: { runId: run, person, step },
      }))
      await store.transact((tx) => tx.append(`oncall/${access.namespace}/${run}`, 'any', facts))
      return { items }
    },
  })

const print = async ({ values, api, out }) => {
  const { items } = await (await api()).get(['x', 'oncall', 'pages', values.namespace])
  for (const { run, rota, person } of items) out(`${run} ${rota} ${person}\n`)
  return 0
}

export const printPages = defineCommand({
  words: 'oncall pages',
  summary: 'list the open pages of a namespace',
  options: { namespace: { value: 'NAME', default: 'default', help: 'namespace of the rotas' } },
  load: async () => print,
})
