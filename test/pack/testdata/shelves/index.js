import { Type, crud, defineKind, definePlugin } from '@mesh.dev/mesh/plugin'

const capacity = Type.Integer({ minimum: 1, maximum: 1000, description: 'Number of books.' })
const Shelf = defineKind({
  group: 'library.example',
  kind: 'Shelf',
  plural: 'shelves',
  description: 'A shelf of books.',
  spec: Type.Object({ capacity }, { additionalProperties: false, description: 'A shelf.' }),
  audited: ['capacity'],
})
// oxlint-disable-next-line import/no-default-export -- the form of a plugin of a third party
export default definePlugin({
  contract: 1,
  name: 'shelves',
  settings: Type.Object({}),
  kinds: [crud(Shelf, { verbs: ['list', 'get', 'create', 'update', 'delete'], sample: { capacity: 10 } })],
  create: () => ({}),
})
