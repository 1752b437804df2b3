import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/personas.ts'
import { startPlatform } from './platform.ts'
import type { Platform } from './platform.ts'
import type { RawAnswer } from './platform/send.ts'

const rbac = 'rbac.authorization.k8s.io'
const bindings = `/apis/${rbac}/v1/namespaces/demo/rolebindings`

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
  const paused = async (): Promise<string> => {
    const agent = { namespace: 'demo', name: 'careful' }
    const answer = await ask('developer', 'POST /invoke', { body: { agent, input: 'Please approve.' } })
    const { runId, state } = answer.json<{ runId: string; state: string }>()
    assert.equal(state, 'paused', answer.text)
    return runId
  }
  const resume = (persona: Persona, id: string, key?: string): Promise<RawAnswer> =>
    ask(persona, `POST /runs/${id}/resume`, { body: { decision: 'approve' }, key })
  /** How often a run went on by its journal, which is read to its end. */
  const decisions = async (id: string): Promise<number> => {
    const { text } = await ask('developer', `GET /runs/${id}/events`)
    return text.split('event: run.resumed').length - 1
  }
  return { ask, paused, resume, decisions }
}

/** Gives `other-tenant` a role in `demo`; resolves to how it is taken away. */
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
  for (const deadline = performance.now() + 10_000; ; await pause(20)) {
    const answer = await ask()
    if (typeof wanted === 'number' ? answer.status === wanted : wanted(answer)) return answer
    assert.ok(performance.now() < deadline, `${answer.status}, wanted ${String(wanted)}: ${answer.text}`)
  }
}

test('a decision is made once, its answer is repeated by key, and only to who may still decide', async (t) => {
  const platform = await startPlatform(t, 'embedded')
  const { ask, paused, resume, decisions } = asker(platform)

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
        () => ask('operator', 'GET /audit?resourceKind=Run&actor=operator'),
        ({ text: rows }) => rows.includes(id),
      )
      assert.equal(audit.status, 200)
    },
  )

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
    await bind(platform, 'mesh-viewer')
    await eventually(() => resume('other-tenant', id, 'guest'), 403)
    assert.equal(await decisions(id), 1)
  })
})
