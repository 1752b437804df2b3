import {
  contribute,
  crud,
  defineCommand,
  defineErrors,
  defineEvent,
  defineKind,
  definePlugin,
  endpoint,
  Fail,
  on,
  point,
  Type,
} from '@mesh.dev/mesh/plugin'

const text = (description) => Type.String({ minLength: 1, maxLength: 63, description })
const Book = defineKind({
  group: 'library.example',
  kind: 'Book',
  plural: 'books',
  description: 'A book.',
  spec: Type.Object(
    { copies: Type.Integer({ minimum: 0, maximum: 100, description: 'Number of copies.' }) },
    { additionalProperties: false, description: 'A book.' },
  ),
})
const event = { domain: 'example.library', plugin: 'lending' }
const lent = defineEvent({
  ...event,
  fact: 'lent',
  summary: 'A book was lent.',
  data: Type.Object({ to: Type.String() }),
  audit: { action: 'lend', resourceKind: 'Book' },
})
const noted = defineEvent({
  ...event,
  fact: 'noted',
  summary: 'A loan was noted.',
  data: Type.Object({ loan: Type.String() }),
})
const errors = defineErrors({ book_lent_out: { status: 409, title: 'Every copy of the book is lent.' } })
const lend = ({ store }) =>
  endpoint({
    method: 'POST',
    url: '/loans/:ns/:name',
    summary: 'Lend a book.',
    authz: {
      kind: 'review',
      verb: 'create',
      resource: 'loans.library.example',
      namespace: { in: 'path', field: 'ns' },
    },
    body: Type.Object({ to: text('Reader.') }, { additionalProperties: false }),
    response: { 201: Type.Object({ to: Type.String() }) },
    handle: async ({ caller, params: { ns, name }, body, reply, signal, traceparent }) => {
      const book = await caller.cluster.get(Book, { namespace: ns, name }, { signal })
      if (book.spec.copies === 0) throw new Fail(errors.book_lent_out)
      const subject = { namespace: ns, kind: 'Book', name, uid: book.metadata.uid }
      const actor = { name: caller.username, kind: 'user' }
      const loan = { type: lent, subject, data: { to: body.to }, actor, traceparent }
      await store.transact((tx) => tx.append(`lending/${ns}/${name}`, 'any', [loan]))
      reply.code(201)
      return { to: body.to }
    },
  })
const noteLoans = async (events, tx) => {
  for (const { id, subject } of events)
    await tx.append(`lending/notes/${id}`, 'any', [{ type: noted, subject, data: { loan: id } }])
}

// oxlint-disable-next-line import/no-default-export -- the form of a plugin of a third party
export default definePlugin({
  contract: 1,
  name: 'lending',
  requires: ['store'],
  settings: Type.Object({ limit: Type.Integer({ default: 3, description: 'Loans of one reader.' }) }),
  events: [lent, noted],
  errors,
  kinds: [crud(Book, { verbs: ['get', 'create'], sample: { copies: 1 } })],
  access: [{ group: 'library.example', resource: 'loans', kind: 'Loan', developer: ['create'] }],
  commands: [
    defineCommand({
      words: 'lending limit',
      summary: 'print how many books a reader may lend',
      load: async () => async (input) => {
        input.out(`${(await input.settings()).limit}\n`)
        return 0
      },
    }),
  ],
  create: ({ store }, { limit }) => ({ store, limit }),
  contributions: ({ limit }) => [
    contribute(point('agents.pod-part'), async () => ({
      env: [{ name: 'LENDING_LIMIT', value: `${limit}` }],
    })),
  ],
  routes: (services) => [lend(services)],
  consumers: () => [on('lending.notes', [lent], { order: 'none', from: 'start' }, noteLoans)],
})
