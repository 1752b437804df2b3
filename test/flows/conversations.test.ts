import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import { request } from 'undici'
import { agentCommand } from './platform/agent-command.ts'
import type { Delegated } from './platform/agent-command.ts'
import { allowInvoke } from './platform/allow-invoke.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Run {
  readonly id: string
  readonly state: string
  readonly output: unknown
  readonly subject: string
  readonly decidedBy: string | null
  readonly conversationId: string
}

interface Remembered {
  readonly conversationId: string
  readonly history: readonly { readonly input: unknown }[]
}

// Returns the text to remember. With `{delegate}` it delegates through its launcher and returns the response.
const command = agentCommand(({ input, conversationId, context }, run) => {
  const delegate = typeof input === 'object' && input !== null && 'delegate' in input ? input.delegate : undefined
  return delegate === undefined ? { conversationId, history: context?.history } : run.delegate(delegate)
})
const runtime = { command }
const secretTurn = 'my salary is 4711'

test('SEC7, F7, PODS7: conversations and delegation of two tenants', async (t) => {
  const platform = await sharedEmbedded()
  const users = createUsers(platform)
  await users.agent('developer', 'default', 'shared', {})
  await users.agent('developer', 'default', 'front', {})
  await users.agent('developer', 'default', 'lists', { delegates: ['shared', 'other/mine'] })
  await users.agent('other-tenant', 'other', 'mine', { delegates: ['default/shared'] })
  await allowInvoke(platform, 'other-tenant', 'shared')

  await t.test('SEC7, F7: another tenant that names the id of a conversation neither reads nor writes it', async () => {
    const first = await users.run('developer', 'shared', secretTurn, 'hr-2024')
    assert.equal(first.subject, 'developer')
    const made = await users.start('other-tenant', { namespace: 'default', name: 'shared' }, 'ignore that', 'hr-2024')
    const theirs = await users.until('developer', made.id, ended)
    assert.equal(theirs.subject, 'other-tenant')
    assert.deepEqual(remembered(theirs), { conversationId: 'hr-2024', history: [] })
    const next = remembered(await users.run('developer', 'shared', 'again', 'hr-2024'))
    assert.deepEqual(inputs(next), [secretTurn], 'only the turns of this subject')
  })

  await t.test('SEC7, F7: nor by an agent of its own', async () => {
    const delegate = { agent: 'default/shared', conversationId: 'hr-2024', input: 'poison' }
    const mine = { namespace: 'other', name: 'mine' }
    const { id } = await users.start('other-tenant', mine, { delegate })
    const run = await users.until('other-tenant', id, ended)
    const answer = delegated(run)
    assert.equal(answer.status, 200, JSON.stringify(run))
    assert.deepEqual(answer.body.output?.history, [])
    const next = remembered(await users.run('developer', 'shared', 'again', 'hr-2024'))
    assert.deepEqual(inputs(next), [secretTurn, 'again'])
  })

  await t.test('F7: a delegated run continues the conversation of its parent, and reaches no other', async () => {
    const turn = async (conversation: string, more: object = {}) => {
      const input = { delegate: { agent: 'shared', input: 'turn', ...more } }
      const run = await users.run('developer', 'front', input, conversation)
      return delegated(run).body.output as Remembered
    }
    const one = await turn('c1')
    assert.deepEqual(one.history, [])
    const two = await turn('c1')
    assert.deepEqual([two.conversationId, inputs(two)], [one.conversationId, ['turn']])
    assert.deepEqual((await turn('c2')).history, [], 'another conversation of the subject')
    const named = await turn('c1', { conversationId: 'hr-2024' })
    assert.deepEqual(named.history, [], 'a name reaches no conversation outside the delegation')
    assert.deepEqual(inputs(await turn('c1', { conversationId: 'hr-2024' })), ['turn'])
  })

  await t.test(
    'PODS7: an agent without a list calls agents of its namespace, one with a list what it names',
    async () => {
      const call = async (agent: string, target: string): Promise<readonly unknown[]> => {
        const run = await users.run('developer', agent, { delegate: { agent: target, input: 'x' } })
        const { status, body } = delegated(run)
        return [status, body.error ?? body.state]
      }
      assert.deepEqual(await call('front', 'shared'), [200, 'succeeded'])
      assert.deepEqual(await call('front', 'other/mine'), [403, 'delegate_not_allowed'])
      assert.deepEqual(await call('lists', 'shared'), [200, 'succeeded'])
      assert.deepEqual(await call('lists', 'front'), [403, 'delegate_not_allowed'])
      // In the allow list, but the subject lacks the permission.
      assert.deepEqual(await call('lists', 'other/mine'), [403, 'delegation_refused'])
    },
  )

  await t.test('PODS7: the state role holds to the spec, whatever the launcher says', async () => {
    const bearer = await stateToken(platform, 'default', 'lists')
    const post = async (name: string): Promise<readonly unknown[]> => {
      const { statusCode, body } = await request(`${platform.stateUrl}/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ agent: { namespace: 'default', name }, input: 'x', mode: 'spawn', maxDepth: 8 }),
      })
      return [statusCode, ((await body.json()) as { code?: string }).code]
    }
    assert.deepEqual(await post('front'), [403, 'delegate_not_allowed'])
    // In the allow list, but the agent acts for itself and its account may not invoke.
    assert.deepEqual(await post('shared'), [403, 'forbidden'])
  })

  await t.test('SEC25: a conversation id is checked at the state role and at the launcher', async () => {
    const bearer = await stateToken(platform, 'default', 'lists')
    for (const conversationId of ['../x', 'x'.repeat(129), '']) {
      const { statusCode, body } = await request(`${platform.stateUrl}/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          agent: { namespace: 'default', name: 'shared' },
          input: 'x',
          mode: 'spawn',
          maxDepth: 8,
          conversationId,
        }),
      })
      const problem = (await body.json()) as { errors?: readonly { pointer: string }[] }
      assert.deepEqual([statusCode, problem.errors?.[0]?.pointer], [400, '/conversationId'], conversationId)
      const run = await users.run('developer', 'front', { delegate: { agent: 'shared', input: 'x', conversationId } })
      assert.deepEqual([delegated(run).status, delegated(run).body.error], [400, 'malformed_request'])
    }
  })

  await t.test('PODS7: the audit row of a delegated run names the agent that acted and the subject', async () => {
    const run = await users.run('developer', 'front', { delegate: { agent: 'shared', input: 'x' } })
    const { runId } = delegated(run).body
    const row = await users.auditRow(runId ?? '')
    assert.equal(row.actor, 'system:serviceaccount:default:front')
    assert.deepEqual(row.detail, { subject: 'developer', trigger: 'spawn' })
  })
})

function ended({ state }: Run): boolean {
  return ['succeeded', 'failed', 'rejected', 'timed_out', 'cancelled'].includes(state)
}

function remembered({ state, output }: Run): Remembered {
  assert.equal(state, 'succeeded')
  return output as Remembered
}

function inputs({ history }: Remembered): readonly unknown[] {
  return history.map(({ input }) => input)
}

function delegated({ state, output }: Run): Delegated<Remembered> {
  assert.equal(state, 'succeeded', JSON.stringify(output))
  return output as Delegated<Remembered>
}

function createUsers({ send, tokens }: Platform) {
  const ask = (persona: Persona, method: string, path: string, body?: unknown) =>
    send({ method, path: `/api${path}`, bearer: tokens[persona], ...(body ? { body } : {}) })
  const until = async (persona: Persona, id: string, holds: (run: Run) => boolean): Promise<Run> => {
    for (;;) {
      const answer = await ask(persona, 'GET', `/runs/${id}`)
      assert.equal(answer.status, 200, answer.text)
      const run = answer.json<Run>()
      if (holds(run)) return run
      await pause(50)
    }
  }
  const start = async (persona: Persona, agent: object, input: unknown, conversationId?: string): Promise<Run> => {
    const made = await ask(persona, 'POST', '/runs', { agent, input, ...(conversationId ? { conversationId } : {}) })
    assert.equal(made.status, 201, made.text)
    return made.json<Run>()
  }
  return {
    until,
    start,
    async agent(persona: Persona, namespace: string, name: string, more: object): Promise<void> {
      const made = await ask(persona, 'POST', '/agents', { namespace, config: { name, runtime, ...more } })
      assert.equal(made.status, 201, made.text)
    },
    async run(persona: Persona, name: string, input: unknown, conversation?: string): Promise<Run> {
      const { id } = await start(persona, { namespace: 'default', name }, input, conversation)
      return until(persona, id, ended)
    },
    async auditRow(name: string): Promise<{ readonly actor: string; readonly detail: object }> {
      for (;;) {
        const answer = await ask('operator', 'GET', '/audit?kind=Run&action=create&limit=50')
        assert.equal(answer.status, 200, answer.text)
        const rows = answer.json<{
          items: { actor: string; action: string; resource_name: string; detail: object }[]
        }>()
        const row = rows.items.find((one) => one.resource_name === name && one.action === 'create')
        if (row) return row
        await pause(50)
      }
    },
  }
}

/** A token for the state role, like that of an agent's launcher. */
async function stateToken({ kube, tokens }: Platform, namespace: string, account: string): Promise<string> {
  const made = await kube({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    bearer: tokens.admin,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['state'] } },
  })
  assert.equal(made.status, 201, made.text)
  return made.json<{ status: { token: string } }>().status.token
}
