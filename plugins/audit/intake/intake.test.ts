import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { Fail } from '#core/errors/domain-error.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { check, denial, made, seen, shuffled } from '../testing/rig.ts'
import { webhookEndpoint } from './webhook-endpoint.ts'
import { toClusterRequests } from './cluster-requests.ts'
import { createIntake } from './intake.ts'
import { readWebhookToken } from './webhook-token.ts'

const kinds = new Map([
  ['mesh.dev/agenttemplates', { kind: 'AgentTemplate', observed: true }],
  ['/namespaces', { kind: 'Namespace', observed: true }],
  ['/secrets', { kind: 'Secret', observed: false }],
])
const informers = () => [
  {
    resourceKind: 'AgentTemplate',
    resource: {
      group: 'mesh.dev',
      version: 'v1alpha1',
      plural: 'agenttemplates',
      kind: 'AgentTemplate',
      namespaced: true,
    },
  },
]

interface Given {
  readonly auditID?: string
  readonly verb?: string
  readonly user?: string
  readonly code?: number
  readonly at?: number
  readonly uid?: string
  readonly version?: string
  readonly [field: string]: unknown
}

let ids = 0
const base = Date.now() - 60_000

/** An event as kube-apiserver sends it at level RequestResponse. */
function clusterEvent(given: Given = {}): Record<string, unknown> {
  const { verb = 'update', user = 'alice', code = 200, at = 0, uid = 'u-1', version = '7', ...more } = given
  return {
    level: 'RequestResponse',
    auditID: `audit-${++ids}`,
    stage: 'ResponseComplete',
    requestURI: '/apis/mesh.dev/v1alpha1/namespaces/demo/agenttemplates/one?fieldManager=kubectl',
    verb,
    user: { username: user, groups: ['system:authenticated'] },
    objectRef: { apiGroup: 'mesh.dev', resource: 'agenttemplates', namespace: 'demo', name: 'one' },
    responseStatus: { code },
    responseObject: {
      kind: 'AgentTemplate',
      metadata: { name: 'one', namespace: 'demo', uid, resourceVersion: version },
      spec: { secret: 'sk-canary' },
    },
    stageTimestamp: new Date(base + at).toISOString(),
    ...more,
  }
}

const gone = (uid: string) => ({ kind: 'Status', status: 'Success', details: { name: 'one', uid } })
const actors = (rows: readonly { readonly action: string; readonly actor: string }[]) =>
  rows.map(({ action, actor }) => `${action} ${actor}`).toSorted()

check('A4, PODS5: a change has one row with the actor of the first completed request, in any order', async (rig) => {
  const { take } = createIntake(rig.core, informers)
  for (let round = 0; round < 6; round++) {
    const uid = `u-${round}`
    const steps = shuffled([
      () => take([clusterEvent({ uid, user: 'alice', at: 10 })]),
      // A patch that was already true: answered with the version that alice made.
      () => take([clusterEvent({ uid, user: 'bob', verb: 'patch', at: 20 })]),
      () => rig.append(seen('update', '7', uid, { actorGuess: 'system:admin' })),
      () => take([clusterEvent({ uid, verb: 'create', code: 201, version: '5', user: 'carol' })]),
      () => rig.append(seen('create', '5', uid)),
      () => take([clusterEvent({ uid, verb: 'delete', user: 'dave', responseObject: gone(uid) })]),
      () => rig.append(seen('delete', '9', uid, { actorGuess: undefined })),
    ])
    for (const step of steps) {
      await step()
      if (round % 2 === 0) await rig.settle()
    }
    await rig.settle()
    const rows = (await rig.rows()).filter(({ detail }) => detail['uid'] === uid)
    assert.deepEqual(actors(rows), ['create carol', 'delete dave', 'update alice'], `round ${round}`)
    assert.ok(rows.every(({ actor_exact, source }) => actor_exact === true && source === 'controller'))
  }
})

check("A4: the BFF's own caller outranks what the API server reports, in either order", async (rig) => {
  const { take } = createIntake(rig.core, informers)
  const uids = ['u-1', 'u-2', 'u-3']
  const steps = (uid: string) => [
    () => take([clusterEvent({ uid, user: 'bob', at: -5 })]),
    () => rig.append({ ...made('rollback', 'alice', { uid, resourceVersion: '7' }), data: bff(uid) }),
    () => rig.append(seen('update', '7', uid)),
  ]
  const bff = (uid: string) => {
    return {
      action: 'rollback',
      change: 'update',
      resourceKind: 'AgentTemplate',
      outcome: 'success',
      uid,
      resourceVersion: '7',
    }
  }
  for (const [n, uid] of uids.entries()) {
    const [a, b, c] = steps(uid)
    for (const step of [
      [a, b, c],
      [b, c, a],
      [c, a, b],
    ][n] ?? []) {
      await step?.()
      await rig.settle()
    }
  }
  const rows = await rig.rows()
  assert.deepEqual(actors(rows), ['rollback alice', 'rollback alice', 'rollback alice'])
})

check('A4: a change that no informer confirms has no row; repeated deliveries have no effect', async (rig) => {
  const { take } = createIntake(rig.core, informers)
  const list = [
    clusterEvent({ user: 'bob', verb: 'patch', version: '8' }),
    clusterEvent({ uid: 'u-2', verb: 'create', code: 201, version: '9' }),
    clusterEvent({ uid: 'u-3', verb: 'delete', responseObject: gone('u-3'), requestObject: { dryRun: ['All'] } }),
    clusterEvent({ verb: 'create', code: 403, user: 'eve', responseObject: { kind: 'Status', code: 403 } }),
  ]
  for (let times = 0; times < 3; times++) await take(list)
  await rig.settle()
  const rows = await rig.rows()
  assert.deepEqual(actors(rows), ['create alice', 'create eve'])
  assert.deepEqual(rows.find(({ actor }) => actor === 'eve')?.detail, { code: 'forbidden', count: 1 })
})

check(
  'A4: an Audit-ID that a client chose hides no change: one that is used twice, and one of any text',
  async (rig) => {
    const { take } = createIntake(rig.core, informers)
    const chosen = ['mine', '../x y\u0000', 'a'.repeat(100_000)]
    const change = (auditID: string, at: number) =>
      clusterEvent({ auditID, at, user: 'eve', version: String(at), verb: 'patch' })
    for (const [index, auditID] of chosen.entries()) {
      const pair = [change(auditID, 10 + 2 * index), change(auditID, 11 + 2 * index)]
      for (let times = 0; times < 2; times++) await take(pair)
      for (const { stageTimestamp } of pair)
        await rig.append(
          seen('update', String(Date.parse(String(stageTimestamp)) - base), 'u-1', { actorGuess: 'bob' }),
        )
    }
    await rig.settle()
    assert.deepEqual(actors(await rig.rows()), Array(6).fill('update eve'))
  },
)

check('UXM16: a denial reported by the BFF and the API server is one row that counts once', async (rig) => {
  const { take } = createIntake(rig.core, informers)
  const outcomes = createOutcomes(rig.core)
  outcomes.record(denial('eve', { auditId: 'audit-both' }))
  await outcomes.close()
  await rig.settle()
  await take([{ ...clusterEvent({ verb: 'create', code: 403, user: 'eve' }), auditID: 'audit-both' }])
  await rig.settle()
  // In one batch.
  const again = createOutcomes(rig.core)
  await take([{ ...clusterEvent({ verb: 'delete', code: 403, user: 'eve' }), auditID: 'audit-batch' }])
  again.record(denial('eve', { action: 'delete', auditId: 'audit-batch' }))
  await again.close()
  await rig.settle()
  // The API server is faster than the BFF.
  const late = createOutcomes(rig.core)
  const at = Date.now() - base
  const taking = take([{ ...clusterEvent({ verb: 'update', code: 403, user: 'eve', at }), auditID: 'audit-first' }])
  await Promise.race([taking, rig.settle()])
  await rig.settle()
  late.record(denial('eve', { action: 'update', auditId: 'audit-first' }))
  await late.close()
  await taking
  await rig.settle()
  const found = (await rig.rows()).map(({ action, detail, source }) => [action, source, detail['count']])
  assert.deepEqual(found.toSorted(), [
    ['create', 'bff', 1],
    ['delete', 'bff', 1],
    ['update', 'bff', 1],
  ])
})

check('UXM16: failures that the API server reports are rows with a code, counted within a minute', async (rig) => {
  const { take } = createIntake(rig.core, informers)
  const failed = (code: number, reason: string, more: Given = {}) =>
    clusterEvent({
      code,
      verb: 'patch',
      responseStatus: { code, reason, message: 'sk-canary' },
      responseObject: { kind: 'Status', status: 'Failure', details: { name: 'one', uid: 'u-1' } },
      ...more,
    })
  const list = [
    failed(409, 'Conflict'),
    failed(409, 'Conflict', { at: 1 }),
    failed(409, 'AlreadyExists', { verb: 'create' }),
    failed(422, 'Invalid'),
    failed(404, 'NotFound', { verb: 'delete' }),
    failed(500, 'InternalError'),
  ]
  for (let times = 0; times < 2; times++) await take(list)
  // The BFF's own report of the same request, before or after, adds no row.
  const outcomes = createOutcomes(rig.core)
  const conflict = {
    action: 'update',
    outcome: 'error',
    code: 'conflict',
    auditId: String(list[0]?.['auditID']),
  } as const
  outcomes.record(denial('alice', conflict))
  outcomes.record(denial('carol', { ...conflict, auditId: 'audit-first' }))
  await outcomes.close()
  await rig.settle()
  await take([{ ...failed(409, 'Conflict', { user: 'carol' }), auditID: 'audit-first' }])
  await rig.settle()
  const rows = await rig.rows()
  assert.deepEqual(
    rows
      .map(({ action, actor, outcome, detail }) =>
        [action, actor, outcome, detail['code'], detail['count'] ?? 1].join(' '),
      )
      .toSorted(),
    [
      'create alice error already_exists 1',
      'delete alice error not_found 1',
      'update alice error bad_gateway 1',
      'update alice error conflict 2',
      'update alice error unprocessable 1',
      'update carol error conflict 1',
    ],
  )
  assert.doesNotMatch(JSON.stringify(rows), /canary/)
})

check('R2-M6: each denial counts once by its audit id, from either source and in any order', async (rig) => {
  const { take } = createIntake(rig.core, informers)
  const byApi = Array.from({ length: 4 }, (_, n) => `audit-api-${n}`)
  const byKubectl = ['audit-kubectl-0', 'audit-kubectl-1']
  const deniedTo = (user: string, auditID: string) => clusterEvent({ auditID, user, verb: 'delete', code: 403 })
  const reports = (user: string) => {
    const named = (id: string) => `${user}-${id}`
    return {
      bff: async () => {
        const outcomes = createOutcomes({ ...rig.core, now: () => new Date(base) })
        for (const id of byApi) outcomes.record(denial(user, { action: 'delete', auditId: named(id) }))
        await outcomes.close()
      },
      cluster: () => take([...byApi, ...byKubectl].map((id) => deniedTo(user, named(id)))),
      kubectl: () => take(byKubectl.map((id) => deniedTo(user, named(id)))),
    }
  }
  const [eve, bob] = [reports('eve'), reports('bob')]
  for (const report of [eve.bff, eve.cluster, eve.kubectl, bob.kubectl, bob.bff, bob.cluster]) {
    await report()
    await rig.settle()
  }
  const found = (await rig.rows()).map(({ actor, action, outcome, detail }) => [actor, action, outcome, detail])
  assert.deepEqual(
    found.toSorted(),
    ['bob', 'eve'].map((actor) => [actor, 'delete', 'denied', { code: 'forbidden', count: 6 }]),
  )
})

test('events of other kinds, stages, verbs and outcomes are ignored; malformed and bodiless ones are counted', () => {
  const status = { apiGroup: 'mesh.dev', resource: 'agenttemplates', subresource: 'status' }
  const ignored = [
    clusterEvent({ stage: 'RequestReceived' }),
    clusterEvent({ verb: 'get' }),
    ...[302, 400, 401, 405, 413, 415, 429].map((code) => clusterEvent({ code })),
    // A request with an unknown bearer: each would be a warning that anyone can cause.
    clusterEvent({ code: 401, user: '' }),
    clusterEvent({ objectRef: { resource: 'pods', namespace: 'demo', name: 'x' } }),
    clusterEvent({ objectRef: status }),
    clusterEvent({ requestURI: '/x?dryRun=All' }),
    // A replace that answers with the version that it was sent.
    clusterEvent({ requestObject: { metadata: { resourceVersion: '7' } } }),
  ]
  const unusable = [clusterEvent({ responseObject: undefined }), clusterEvent({ responseObject: { metadata: {} } })]
  const malformed = [
    null,
    7,
    'x',
    {},
    clusterEvent({ auditID: '' }),
    clusterEvent({ stageTimestamp: 'then' }),
    clusterEvent({ user: '' }),
  ]
  assert.deepEqual(toClusterRequests([...ignored, ...unusable, ...malformed], kinds), {
    events: [],
    ignored: ignored.length,
    unusable: unusable.length,
    malformed: malformed.length,
  })
})

test('A8: only the identity of a body is stored, none of a Secret; the impersonating user is the actor', () => {
  const secret = clusterEvent({
    verb: 'update',
    objectRef: { resource: 'secrets', namespace: 'demo', name: 'key' },
    responseObject: undefined,
    impersonatedUser: { username: 'olga' },
  })
  const held = clusterEvent({
    verb: 'delete',
    responseObject: { metadata: { uid: 'u-9', resourceVersion: '12', deletionTimestamp: 'now', name: 'one' } },
  })
  const { events } = toClusterRequests([secret, held, clusterEvent()], kinds)
  assert.doesNotMatch(JSON.stringify(events), /canary/)
  assert.deepEqual(
    events.map(({ subject, actor, data }) => [
      subject.kind,
      subject.name,
      actor?.name,
      (data as { action: string }).action,
    ]),
    [
      ['Secret', 'key', 'alice', 'update'],
      ['AgentTemplate', 'one', 'alice', 'update'],
      ['AgentTemplate', 'one', 'alice', 'delete'],
      ['AgentTemplate', 'one', 'alice', 'update'],
    ],
  )
  assert.deepEqual({ ...(events[0]?.data as object) }, { ...(events[0]?.data as object), impersonated: 'olga' })
})

test('the webhook is authenticated before its body is read, is bounded, and returns 503 while the store is away', async (t) => {
  const token = 'webhook-token-of-more-than-32-characters'
  const taken: unknown[] = []
  let fails: Error | undefined
  const intake = {
    take: async (items: readonly unknown[]) => {
      if (fails !== undefined) throw fails
      taken.push(...items)
    },
  }
  const webhook = webhookEndpoint(intake, token, { webhookMaxEvents: 2, webhookMegabytes: 1 })
  const { app } = await buildServer(t, [{ endpoints: [webhook] }])
  const post = (payload: string, bearer = token) =>
    app.inject({
      method: 'POST',
      url: '/api/audit-events',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      payload,
    })
  const list = (items: readonly unknown[], more: object = {}): string =>
    JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items, ...more })
  assert.equal((await post('{', 'good-token')).statusCode, 401)
  assert.equal((await app.inject({ method: 'POST', url: '/api/audit-events', payload: '{' })).statusCode, 401)
  assert.equal((await post(list([1, 2]))).statusCode, 200)
  assert.deepEqual(taken, [1, 2])
  const refused = [
    list([1, 2, 3]),
    list([], { kind: 'List' }),
    list([], { apiVersion: 'v1' }),
    list([], { items: {} }),
    '[]',
  ]
  const statuses = await Promise.all(refused.map(async (body) => (await post(body)).statusCode))
  assert.deepEqual(statuses, [413, 400, 400, 400, 400])
  assert.equal((await post(list(['x'.repeat(1_048_576)]))).statusCode, 413)
  fails = new Fail('store_unavailable')
  const away = await post(list([1]))
  assert.deepEqual([away.statusCode, away.headers['retry-after']], [503, '1'])
})

test('a missing, short or malformed token file refuses the start without being quoted', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-token-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'token')
  assert.throws(() => readWebhookToken(file), /webhookTokenFile .*cannot be read \(ENOENT\)/)
  for (const text of ['', 'short-canary', `${'x'.repeat(40)} y`]) {
    writeFileSync(file, text)
    assert.throws(
      () => readWebhookToken(file),
      (error: Error) => /at least 32/.test(error.message) && !/canary|xxx/.test(error.message),
    )
  }
  writeFileSync(file, `${'x'.repeat(40)}\n`)
  assert.equal(readWebhookToken(file), 'x'.repeat(40))
})
