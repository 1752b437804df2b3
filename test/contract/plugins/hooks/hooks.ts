import { createHmac } from 'node:crypto'
import { defineEvent, definePlugin, defineTask, handleTask, on, TaskFailure, Type } from '@mesh.dev/mesh/plugin'
import type { CoreWith, StoredEvent, Task, TaskContext } from '@mesh.dev/mesh/plugin'

interface Deliveries {
  x_hooks_deliveries: { id: string; epoch: bigint; status: number }
}

interface Rule {
  readonly name: string
  readonly types: readonly string[]
  readonly namespaces: readonly string[]
  readonly url: string
}

const raised = defineEvent({
  domain: 'com.acme',
  plugin: 'hooks',
  fact: 'incident-raised',
  summary: 'An incident was raised.',
  data: Type.Object({ incident: Type.String() }),
  seenBy: 'none',
})
const rule = Type.Object({
  name: Type.String(),
  types: Type.Array(Type.String()),
  namespaces: Type.Array(Type.String()),
  url: Type.String(),
})
const deliver = defineTask({
  name: 'hooks.deliver',
  payload: Type.Object({ rule: Type.String(), event: Type.String(), body: Type.String() }),
  maxAttempts: 4,
  backoff: { minMs: 5, maxMs: 20 },
  deadlineMs: 2_000,
})
type Payload = { rule: string; event: string; body: string }
type Services = { core: CoreWith<readonly ['store']>; rules: readonly Rule[]; secret: string }

const send = async ({ core, rules, secret }: Services, task: Task<Payload>, context: TaskContext): Promise<void> => {
  const { body, event } = task.payload
  const url = rules.find(({ name }) => name === task.payload.rule)?.url
  // The rule was removed while the delivery waited.
  if (url === undefined) throw new TaskFailure('rule_removed', { final: true })
  const signature = createHmac('sha256', secret).update(`${event}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event,
    'webhook-attempt': String(task.epoch),
    'webhook-signature': `v1,${signature}`,
  }
  const { status } = await core.outbound.request({ url, method: 'POST', headers, body, signal: context.signal })
  if (status >= 400 && status < 500 && status !== 429) throw new TaskFailure(`status_${status}`, { final: true })
  if (status >= 300) throw new TaskFailure(`status_${status}`)
  await core.store.transact(async (tx) => {
    const delivery = { id: `${task.payload.rule}/${event}`, epoch: task.epoch, status }
    await tx.tables<Deliveries>().insertInto('x_hooks_deliveries').values(delivery).execute()
    await context.complete(tx)
  })
}

const matches = (one: Rule, { type, subject }: StoredEvent): boolean =>
  one.types.includes(type) && subject.namespace !== undefined && one.namespaces.includes(subject.namespace)

/** Sends events that match a rule to receivers: signed, once for each rule and incident, retried, dead after four attempts. */
// oxlint-disable-next-line import/no-default-export -- the form of a third-party plugin
export default definePlugin({
  contract: 1,
  name: 'hooks',
  requires: ['store'],
  settings: Type.Object({ rules: Type.Array(rule, { default: [] }), secret: Type.String({ default: '' }) }),
  migrations: new URL('./migrations/', import.meta.url),
  events: [raised],
  create: (core, { rules, secret }): Services => ({ core, rules, secret }),
  api: ({ core }) => ({
    raise: (namespace: string, incident: string) =>
      core.store.transact((tx) =>
        tx.append(`hooks/${namespace}`, 'any', [
          { type: raised, subject: { namespace, kind: 'Incident', name: incident }, data: { incident } },
        ]),
      ),
  }),
  consumers: ({ core, rules }) => [
    on('hooks.match', [raised], { order: 'none', from: 'start' }, async (events, tx) => {
      for (const event of events)
        for (const one of rules.filter((candidate) => matches(candidate, event)))
          await core.tasks.enqueue(tx, deliver, {
            ...(event.subject.namespace === undefined ? {} : { namespace: event.subject.namespace }),
            // One delivery for each rule and incident, however often it is raised.
            key: `${one.name}/${event.data.incident}`,
            payload: { rule: one.name, event: event.id, body: JSON.stringify({ incident: event.data.incident }) },
          })
    }),
  ],
  tasks: (services) => [handleTask(deliver, (task, context) => send(services, task, context))],
})
