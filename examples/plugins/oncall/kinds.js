import { Type, crud, defineKind } from '@mesh.dev/mesh/plugin'

const text = (description) => Type.String({ minLength: 1, maxLength: 200, description })

export const Rota = defineKind({
  group: 'oncall.example',
  kind: 'Rota',
  plural: 'rotas',
  description: 'The people to page when a run of the namespace fails.',
  spec: Type.Object(
    {
      webhook: text('URL that receives pages.'),
      people: Type.Array(text('A person.'), { minItems: 1, maxItems: 10, description: 'Whom to page, in this order.' }),
    },
    { additionalProperties: false, description: 'A rota.' },
  ),
  audited: ['people'],
})

export const rotas = crud(Rota, {
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  sample: { webhook: 'https://pages.example/hook', people: ['ada', 'grace'] },
})

// Workers read no cluster objects, so the manager copies each rota into a table.
export const followRotas = ({ store }) => ({
  name: 'oncall.rotas',
  resource: Rota,
  reconcile: async ({ namespace, name }, rota) => {
    await store.transact(async (tx) => {
      const db = tx.tables()
      await db.deleteFrom('x_oncall_rotas').where('namespace', '=', namespace).where('name', '=', name).execute()
      if (rota === undefined) return
      const { webhook, people } = rota.spec
      await db.insertInto('x_oncall_rotas').values({ namespace, name, webhook, people }).execute()
    })
    return {}
  },
})
