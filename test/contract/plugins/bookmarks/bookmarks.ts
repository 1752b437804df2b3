// A store-backed plugin of a third party, written against the package only.
import { definePlugin, defineStored, storeCrud, Type } from '@mesh.dev/mesh/plugin'

const url = Type.String({ minLength: 1, maxLength: 1024, description: 'Address.', examples: ['https://mesh.example'] })
const labels = Type.Record(Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' }), Type.String({ maxLength: 63 }), {
  maxProperties: 16,
  additionalProperties: false,
  description: 'Labels, by key.',
})
const bookmarks = defineStored({
  domain: 'com.acme',
  plugin: 'bookmarks',
  kind: 'Bookmark',
  plural: 'bookmarks',
  description: 'A bookmark.',
  fields: Type.Object({ url, labels: Type.Optional(labels) }),
  sample: { url: 'https://mesh.example' },
  filters: ['url'],
  labels: 'labels',
  search: ['url'],
})
const most = Type.Integer({ minimum: 1, default: 100, description: 'Maximum number of bookmarks per namespace.' })

// oxlint-disable-next-line import/no-default-export -- the form of a plugin that mesh.yaml lists
export default definePlugin({
  contract: 1,
  name: 'bookmarks',
  summary: 'Bookmarks of namespaces.',
  settings: Type.Object({ most }),
  stored: [storeCrud(bookmarks, { quota: (settings: { readonly most: number }) => settings.most })],
  create: (_core, settings) => settings,
})
