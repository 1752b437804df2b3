import {
  crud,
  defineErrors,
  defineEvent,
  defineKind,
  definePlugin,
  defineTask,
  endpoint,
  event,
  Fail,
  handleTask,
  on,
  TaskFailure,
  toConditionsStatus,
  Type,
  writeStatus,
} from '@mesh.dev/mesh/plugin'
import type { Caller, CoreWith, ManagerContext, ObjectOf, Task, TaskContext, Tx } from '@mesh.dev/mesh/plugin'

interface Row {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly generation: number
  readonly service: string
  readonly state: 'pending' | 'approved' | 'active'
  readonly requested_by: string
  readonly approved_by: string | null
  readonly token: string
}

type Tables = { x_connections_requests: Row }
type Services = { readonly core: CoreWith<readonly ['store']> }

const group = 'acme.example'
const approval = { verb: 'update', resource: 'connections/approval' } as const
const inPath = { namespace: { in: 'path', field: 'ns' }, name: 'name' } as const

const errors = defineErrors({
  nothing_to_approve: { status: 409, title: 'There is no request that waits for approval.' },
  request_changed: { status: 409, title: 'The connection was changed after it was read.' },
  own_request: { status: 409, title: 'A request needs the approval of another person.' },
})
const Connection = defineKind({
  group,
  kind: 'Connection',
  plural: 'connections',
  description: 'A connection to a service.',
  spec: Type.Object(
    { service: Type.String({ minLength: 1, maxLength: 200, description: 'URL of the service.' }) },
    { additionalProperties: false, description: 'A connection.' },
  ),
  status: Type.Object({
    observedGeneration: Type.Optional(Type.Integer()),
    conditions: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.String(),
          status: Type.String(),
          reason: Type.String(),
          message: Type.String(),
          lastTransitionTime: Type.String(),
          observedGeneration: Type.Integer(),
        }),
      ),
    ),
  }),
})
type Object = ObjectOf<typeof Connection>
const fact = (name: string, summary: string) =>
  defineEvent({
    domain: 'com.acme',
    plugin: 'connections',
    fact: name,
    summary,
    data: Type.Object({ uid: Type.String(), generation: Type.Integer() }),
    seenBy: { verb: 'get', resource: 'connections', group },
  })
const offered = fact('offered', 'A token was offered.')
const approved = fact('approved', 'A request was approved.')
const connected = fact('connected', 'The service accepted the token.')
const connect = defineTask({
  name: 'connections.connect',
  payload: Type.Object({ uid: Type.String(), generation: Type.Integer() }),
  maxAttempts: 4,
  backoff: { minMs: 5, maxMs: 50 },
})

// The service too: a token offered for one is never sent to another, whatever the row says.
const bindingOf = ({ uid, service }: Pick<Row, 'uid' | 'service'>) => ({ purpose: 'token', of: [uid, service] })
const eventOf = (type: typeof offered, row: Row, by?: string) => ({
  type,
  subject: { namespace: row.namespace, kind: 'Connection', name: row.name, uid: row.uid },
  ...(by === undefined ? {} : { actor: { name: by, kind: 'user' } as const }),
  data: { uid: row.uid, generation: row.generation },
})
const lock = async (tx: Tx, uid: string): Promise<Row | undefined> => {
  const rows = tx.tables<Tables>().selectFrom('x_connections_requests').selectAll().where('uid', '=', uid)
  return rows.forUpdate().executeTakeFirst()
}
const find = async ({ core }: Services, uid: string): Promise<Row | undefined> => {
  const rows = core.store.reader<Tables>().selectFrom('x_connections_requests').selectAll()
  return rows.where('uid', '=', uid).executeTakeFirst()
}
const set = async (tx: Tx, uid: string, values: Partial<Row>): Promise<void> => {
  await tx.tables<Tables>().updateTable('x_connections_requests').set(values).where('uid', '=', uid).execute()
}
const read = async (caller: Caller, params: { readonly ns: unknown; readonly name: unknown }) => {
  const { ns, name } = params as { readonly ns: never; readonly name: never }
  const { metadata, spec } = await caller.cluster.get<Object>(Connection, { namespace: ns, name })
  return { uid: metadata.uid ?? '', generation: metadata.generation ?? 0, service: spec.service, namespace: ns, name }
}

const offer = (services: Services) =>
  endpoint({
    method: 'POST',
    url: '/connections/:ns/:name/token',
    summary: 'Offer the token of a connection.',
    authz: { kind: 'review', verb: 'update', resource: 'connections', group, ...inPath },
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 4096 }) }, { additionalProperties: false }),
    response: { 202: Type.Object({ generation: Type.Integer() }) },
    handle: async ({ caller, params, body }) => {
      const { core } = services
      const object = await read(caller, params)
      const token = core.sealed.seal(body.token, bindingOf(object))
      const by = caller.username
      const row: Row = { ...object, state: 'pending', requested_by: by, approved_by: null, token }
      await core.store.transact(async (tx) => {
        const inserted = tx.tables<Tables>().insertInto('x_connections_requests').values(row)
        await inserted.onConflict((conflict) => conflict.column('uid').doUpdateSet(row)).execute()
        await tx.append(`connections/${row.uid}`, 'any', [eventOf(offered, row, by)])
      })
      return { generation: row.generation }
    },
  })

const show = (services: Services) =>
  endpoint({
    method: 'GET',
    url: '/connections/:ns/:name/approval',
    summary: 'Show the request of a connection, and whether the caller may approve it.',
    authz: { kind: 'review', verb: 'get', resource: 'connections', group, ...inPath },
    response: {
      200: Type.Object({
        state: Type.String(),
        generation: Type.Integer(),
        requestedBy: Type.Union([Type.String(), Type.Null()]),
        mayApprove: Type.Boolean(),
      }),
    },
    handle: async ({ caller, params, access: { namespace } }) => {
      const { uid, generation, name } = await read(caller, params)
      const found = await find(services, uid)
      const row = found?.generation === generation ? found : undefined
      const right = await caller.may(approval.verb, approval.resource, { namespace, name, group })
      const requestedBy = row?.requested_by ?? null
      const mayApprove = right !== undefined && requestedBy !== caller.username
      return { state: row?.state ?? 'none', generation, requestedBy, mayApprove }
    },
  })

const approve = (services: Services) =>
  endpoint({
    method: 'POST',
    url: '/connections/:ns/:name/approval',
    summary: 'Approve the request of a connection.',
    authz: { kind: 'review', ...approval, group, ...inPath },
    body: Type.Object(
      { generation: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
      { additionalProperties: false },
    ),
    response: { 202: Type.Object({ generation: Type.Integer() }) },
    handle: async ({ caller, params, body: { generation } }) => {
      const object = await read(caller, params)
      await services.core.store.transact(async (tx) => {
        const row = await lock(tx, object.uid)
        if (row?.state !== 'pending') throw new Fail(errors.nothing_to_approve)
        if (row.generation !== generation || object.generation !== generation) throw new Fail(errors.request_changed)
        if (row.requested_by === caller.username) throw new Fail(errors.own_request)
        await set(tx, row.uid, { state: 'approved', approved_by: caller.username })
        await tx.append(`connections/${row.uid}`, 'any', [eventOf(approved, row, caller.username)])
      })
      return { generation }
    },
  })

/** Exchanges the token for one that only this installation has. */
const exchange = async ({ core }: Services, row: Row, signal: AbortSignal): Promise<string> => {
  const headers = { authorization: `Bearer ${core.sealed.open(row.token, bindingOf(row))}` }
  const url = `${row.service}/exchange`
  const { status, body } = await core.outbound.request({ url, method: 'POST', headers, signal })
  if (status === 401) throw new TaskFailure('refused_by_service', { final: true })
  if (status !== 200) throw new TaskFailure(`status_${status}`)
  return core.sealed.seal((JSON.parse(body.toString()) as { token: string }).token, bindingOf(row))
}

const run = async (services: Services, task: Task<{ uid: string; generation: number }>, context: TaskContext) => {
  const { uid, generation } = task.payload
  const row = await find(services, uid)
  // Withdrawn meanwhile.
  if (row?.state !== 'approved' || row.generation !== generation) return
  const token = await exchange(services, row, context.signal)
  await services.core.store.transact(async (tx) => {
    await set(tx, uid, { state: 'active', token })
    await tx.append(`connections/${uid}`, 'any', [eventOf(connected, row)])
    await context.complete(tx)
  })
}

const reconciler = (services: Services, { cluster }: ManagerContext) => ({
  name: 'connections',
  resource: Connection,
  reconcile: async (_ref: unknown, found: unknown) => {
    const object = found as Object | undefined
    if (object === undefined) return {}
    const row = await find(services, object.metadata.uid ?? '')
    const state = row?.generation === object.metadata.generation ? row?.state : undefined
    const ready = {
      type: 'Ready',
      status: state === 'active' ? ('True' as const) : ('False' as const),
      reason: { pending: 'WaitsForApproval', approved: 'Connecting', active: 'Connected' }[state ?? 'pending'],
      message: row?.approved_by == null ? 'Not approved.' : `Approved by ${row.approved_by}.`,
    }
    const status = toConditionsStatus(object as never, [ready], services.core.now())
    await writeStatus(cluster, Connection, object as never, status)
    return state === 'active' ? {} : { requeueAfterMs: 500 }
  },
})

// An informer reports each change of an object, also by kubectl. A request is for one generation of one object.
const objectChanges = [event('dev.mesh.cluster.updated.v1'), event('dev.mesh.cluster.deleted.v1')]
const withdraw = () => {
  return on('connections.withdraw', objectChanges, { order: 'none', from: 'start' }, async (events, tx) => {
    for (const { type, data } of events) {
      const object = data as { readonly group: string; readonly uid: string; readonly generation?: number }
      if (object.group !== group) continue
      const rows = tx.tables<Tables>().deleteFrom('x_connections_requests').where('uid', '=', object.uid)
      const isDeleted = type.includes('.deleted.')
      await (isDeleted ? rows : rows.where('generation', '<', object.generation ?? 0)).execute()
    }
  })
}

/**
 * Connections to services of others. A developer offers a token, which is stored sealed; an approver, who is another person, approves the
 * object as it is; a consumer then queues the task that opens the token and exchanges it. Another spec needs another token and approval.
 */
// oxlint-disable-next-line import/no-default-export -- the form of a third-party plugin
export default definePlugin({
  contract: 1,
  name: 'connections',
  requires: ['store'],
  settings: Type.Object({}),
  keys: { bff: { seals: ['kek'] }, worker: { seals: ['kek'] } },
  migrations: new URL('./migrations/', import.meta.url),
  errors,
  events: [offered, approved, connected],
  kinds: [
    crud(Connection, {
      verbs: ['list', 'get', 'create', 'update', 'delete'],
      sample: { service: 'https://service.example' },
    }),
  ],
  access: [
    { group, resource: 'connections/approval', operator: ['update'] },
    { group, resource: 'connections/status', manager: ['get', 'patch'] },
  ],
  create: (core): Services => ({ core }),
  routes: (services) => [offer(services), show(services), approve(services)],
  consumers: (services) => [
    withdraw(),
    on('connections.connect', [approved], { order: 'none', from: 'start' }, async (events, tx) => {
      for (const { data, subject, id } of events)
        await services.core.tasks.enqueue(tx, connect, { namespace: subject.namespace ?? '', key: id, payload: data })
    }),
  ],
  reconcilers: (services, manager) => [reconciler(services, manager)],
  tasks: (services) => [handleTask(connect, (task, context) => run(services, task, context))],
})
