import { Type, crud, defineKind } from '@mesh.dev/mesh/plugin'

const text = (description) => Type.String({ minLength: 1, maxLength: 200, description })
const webhook = text('URL that receives pages.')
const people = Type.Array(text('A person.'), { minItems: 1, maxItems: 10, description: 'Whom to page, in this order.' })

export const Rota = defineKind({
  group: 'oncall.example',
  kind: 'Rota',
  plural: 'rotas',
  description: 'The people to page when a run of the namespace fails.',
  spec: Type.Object({ webhook, people }, { additionalProperties: false, description: 'A rota.' }),
  audited: ['people'],
  // Workers have no rights at the cluster: they read these fields from the object index.
  indexed: ['webhook', 'people'],
})

const sample = { webhook: 'https://pages.example/hook', people: ['ada', 'grace'] }
export const rotas = crud(Rota, { verbs: ['list', 'get', 'create', 'update', 'delete'], sample })
