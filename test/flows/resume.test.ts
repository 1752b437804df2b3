import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import type { Platform } from './platform/running-platform.ts'
import type { RawAnswer } from './platform/send.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const rbac = 'rbac.authorization.k8s.io'
const bindings = `/apis/${rbac}/v1/namespaces/demo/rolebindings`

interface Refused {
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

const asker = ({ send, tokens }: Platform) => {
  const ask = (persona: Persona, line: string, more: { body?: unknown; key?: string | undefined } = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const headers = more.key === undefined ? {} : { 'idempotency-key': more.key }
    return send({
      method,
      path: `/api${path}`,
      bearer: tokens[persona],
      headers,
      ...(more.body === undefined ? {} : { body: more.body }),
    })
  }
  const paused = async (input = 'Please approve.', name = 'careful'): Promise<string> => {
    const agent = { namespace: 'demo', name }
    const invoked = await ask('developer', 'POST /invoke', { body: { agent, input } })
    const { runId, state } = invoked.json<{ runId: string; state: string }>()
    assert.equal(state, 'paused', invoked.text)
    return runId
  }
  const resume = (persona: Persona, id: string, key?: string): Promise<RawAnswer> =>
    ask(persona, `POST /runs/${id}/resume`, { body: { decision: 'approve' }, key })
  /** Number of times a run was resumed, from its complete journal. */
  const decisions = async (id: string): Promise<number> => {
    const { text } = await ask('developer', `GET /runs/${id}/events`)
    return text.split('event: run.resumed').length - 1
  }
  const answer = (id: string, body: unknown): Promise<RawAnswer> =>
    ask('developer', `POST /runs/${id}/resume`, { body })
  return { ask, paused, resume, decisions, answer }
}

/** Grants `other-tenant` a role in `demo`. Resolves with a function that revokes it. */
async function bind({ kube, tokens }: Platform, role: string): Promise<() => Promise<void>> {
  const bearer = tokens.admin
  const made = await kube({
    method: 'POST',
    path: bindings,
    bearer,
    body: {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: `guest-${role}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: rbac, kind: 'User', name: 'other-tenant' }],
    },
  })
  assert.equal(made.status, 201, made.text)
  return async () => {
    const gone = await kube({ method: 'DELETE', path: `${bindings}/guest-${role}`, bearer })
    assert.equal(gone.status, 200, gone.text)
  }
}

async function eventually(
  ask: () => Promise<RawAnswer>,
  wanted: number | ((answer: RawAnswer) => boolean),
): Promise<RawAnswer> {
  for (const deadline = performance.now() + 60_000; ; await pause(20)) {
    const answer = await ask()
    if (typeof wanted === 'number' ? answer.status === wanted : wanted(answer)) return answer
    assert.ok(performance.now() < deadline, `${answer.status}, wanted ${String(wanted)}: ${answer.text}`)
  }
}

test('a decision is made once, its answer is repeated by key, and only to who may still decide', async (t) => {
  const platform = await sharedEmbedded()
  const { ask, paused, resume, decisions, answer } = asker(platform)

  await t.test('two resumes at once: one 202, one 409', async () => {
    const id = await paused()
    const answers = await Promise.all([resume('developer', id), resume('developer', id)])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 409])
    assert.equal(await decisions(id), 1)
  })

  await t.test('the same key twice: the same answer, one decision', async () => {
    const id = await paused()
    const [first, again] = [await resume('developer', id, 'same'), await resume('developer', id, 'same')]
    assert.deepEqual([first.status, again.status], [202, 202], again.text)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal((await resume('developer', id)).json<{ code: string }>().code, 'run_not_paused')
    assert.equal(await decisions(id), 1)
  })

  await t.test(
    'SEC30: an answer of another person leaves the subject, and event, journal and run name who decided',
    async () => {
      const id = await paused()
      assert.equal((await resume('operator', id)).status, 202)
      const { text } = await ask('developer', `GET /runs/${id}/events`)
      const resolved = text.split('\n').find((line) => line.startsWith('data:') && line.includes('interrupt.resolved'))
      assert.match(resolved ?? '', /"by":"operator"/)
      const run = (await ask('developer', `GET /runs/${id}`)).json<{
        subject: string
        decidedBy: string
        state: string
      }>()
      assert.deepEqual([run.state, run.subject, run.decidedBy], ['succeeded', 'developer', 'operator'])
      const audit = await eventually(
        () => ask('operator', 'GET /audit?kind=Run&actor=operator'),
        ({ text: rows }) => rows.includes(id),
      )
      assert.equal(audit.status, 200)
    },
  )

  await t.test('UXH3: an empty body answers no question, and NUL, long or unknown fields are refused', async () => {
    const config = { name: 'asker', model: { route: 'mock-scripted' }, tools: ['ask_human'] }
    const made = await ask('developer', 'POST /agents', { body: { namespace: 'demo', config } })
    assert.equal(made.status, 201, made.text)
    const id = await paused('Please ask.', 'asker')
    const asked = await answer(id, {})
    assert.equal(asked.status, 400, asked.text)
    assert.deepEqual(asked.json<Refused>().errors, [
      { pointer: '/payload', detail: 'is required to answer a question' },
    ])
    for (const [field, body] of [
      ['/reason', { payload: 1, reason: 'x'.repeat(1025) }],
      ['/reason', { payload: 1, reason: 'a\0' }],
      ['/payload', { payload: '\ud800' }],
      ['/onReject', { decision: 'reject', onReject: 'maybe' }],
      ['/arguments', { payload: 1, arguments: {} }],
      ['/interruptId', { payload: 1, interruptId: 'another' }],
      ['/by', { payload: 1, by: 'admin' }],
    ] as const) {
      const refused = await answer(id, body)
      assert.equal(refused.status, 400, refused.text)
      assert.equal(refused.json<Refused>().errors?.[0]?.pointer, field, refused.text)
    }
    assert.equal((await answer(id, { payload: 'blue' })).status, 202)
  })

  await t.test('UXH4: a rejection with its reason is in run, journal, event and audit log', async () => {
    const id = await paused()
    const reason = 'no\nnumbers \u202e'
    assert.equal((await answer(id, { decision: 'reject', reason })).status, 202)
    const run = (await ask('developer', `GET /runs/${id}`)).json<{
      state: string
      error: unknown
      decisions: readonly Record<string, unknown>[]
    }>()
    assert.deepEqual(
      [run.state, run.error],
      ['rejected', { code: 'approval_denied', message: 'developer rejected calculate: no numbers' }],
    )
    const [decision = {}] = run.decisions
    const { at, interruptId, ...rest } = decision
    assert.deepEqual(rest, { tool: 'calculate', decision: 'reject', by: 'developer', reason: 'no numbers' })
    assert.ok(typeof at === 'string' && typeof interruptId === 'string')
    const { text } = await ask('developer', `GET /runs/${id}/events`)
    assert.match(text, /"decisionReason":"no numbers"/)
    const rows = await eventually(
      () => ask('operator', 'GET /audit?kind=Run&action=reject'),
      (answered) => answered.text.includes(id),
    )
    const row = rows
      .json<{ items: readonly Record<string, unknown>[] }>()
      .items.find((one) => one['resource_name'] === id)
    assert.deepEqual(row?.['detail'], {
      interruptId,
      decision: 'reject',
      tool: 'calculate',
      decisionReason: 'no numbers',
      subject: 'developer',
    })
    assert.equal(row['actor'], 'developer')
  })

  await t.test('UXH4: edited arguments fit the schema of the tool; a rejection can be the answer', async () => {
    const id = await paused()
    const bad = await answer(id, { decision: 'approve', arguments: { expression: 7 } })
    assert.equal(bad.status, 400, bad.text)
    assert.deepEqual(bad.json<Refused>().errors, [{ pointer: '/arguments/expression', detail: 'must be string' }])
    const good = await answer(id, { decision: 'approve', arguments: { expression: '40+2' } })
    assert.equal(good.status, 202, good.text)
    const events = (await ask('developer', `GET /runs/${id}/events`)).text
    assert.match(events, /"arguments":\{"expression":"40\+2"\}.*"result":\{"result":42\}/s)
    assert.equal(events.split('event: interrupt.resolved').length - 1, 1, 'UXL4')
    const other = await paused()
    assert.equal((await answer(other, { decision: 'reject', onReject: 'answer', reason: 'no' })).status, 202)
    const refused = (await ask('developer', `GET /runs/${other}/events`)).text
    assert.match(refused, /the call was rejected: no.*event: run.succeeded/s)
  })

  await t.test('cancel too: a repeat by key is no run_terminal', async () => {
    const id = await paused()
    const cancel = (key?: string): Promise<RawAnswer> => ask('developer', `POST /runs/${id}/cancel`, { key })
    const first = await cancel('stop')
    assert.equal(first.status, 202, first.text)
    await eventually(() => cancel(), 409)
    const again = await cancel('stop')
    assert.deepEqual([again.status, again.text], [202, first.text])
  })

  await t.test('whose right was taken away since gets the refusal, not the stored answer', async () => {
    const id = await paused()
    const revoke = await bind(platform, 'mesh-developer')
    await eventually(() => ask('other-tenant', `GET /runs/${id}`), 200)
    const first = await resume('other-tenant', id, 'guest')
    assert.equal(first.status, 202, first.text)
    assert.equal((await resume('other-tenant', id, 'guest')).text, first.text)
    await revoke()
    await eventually(() => resume('other-tenant', id, 'guest'), 404)
    const revokeView = await bind(platform, 'mesh-viewer')
    await eventually(() => resume('other-tenant', id, 'guest'), 403)
    assert.equal(await decisions(id), 1)
    await revokeView()
  })
})
