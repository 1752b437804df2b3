import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { formatPayer } from '#core/retrieval/payer.ts'
import { needs } from '#test/harness/find-server.ts'
import { startPaidGateway } from '../testing/role-calls.ts'

const servers = needs('kube-apiserver', 'etcd', 'postgres', 'initdb')

test('only roles of the platform name who pays, and a wrong name pays nothing', servers, async (t) => {
  const gateway = await startPaidGateway(t)
  const { namespaces, tokens, kube, addPayingAgent, accounts, upstream } = gateway
  const [victim, thief] = [
    await addPayingAgent('victim', { amount: '1' }),
    await addPayingAgent('thief', { amount: '1' }),
  ]
  const post = async (token: string, payer: string, path = 'embeddings') => {
    const answer = await fetch(`${gateway.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-mesh-payer': payer },
      body: JSON.stringify({
        model: `${namespaces.a}/paid`,
        ...(path === 'embeddings' ? { input: 'a' } : { messages: [{ role: 'user', content: 'a' }] }),
      }),
    })
    const { error } = (await answer.json()) as { error?: { code: string; param: string | null; message: string } }
    return { status: answer.status, error }
  }
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const mayCharge = async (token: string): Promise<boolean> => {
    const resourceAttributes = {
      verb: 'create',
      group: 'mesh.dev',
      resource: 'modelroutes',
      subresource: 'charge',
      namespace: namespaces.a,
    }
    const review = await createKubeClient({ server: kube.url, pool, bearer: token }).review<{
      status: { allowed: boolean }
    }>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    })
    return review.status.allowed
  }
  const pay = formatPayer(victim)

  await t.test('as the API server decides', async () => {
    const callers = { ...kube.tokens, ...tokens }
    const outcomes = await Promise.all(
      Object.entries(callers).map(async ([name, token]) => {
        const { status } = await post(token, pay)
        return [name, status, (await mayCharge(token)) ? 200 : 403] as const
      }),
    )
    for (const [name, status, expected] of outcomes) assert.equal(status, expected, name)
    const allowed = outcomes.filter(([, status]) => status === 200).map(([name]) => name)
    assert.deepEqual(allowed.toSorted(), ['admin', 'state', 'worker'])
  })

  await t.test('no agent, also not itself', async () => {
    const before = [upstream.seen.length, await accounts()]
    const token = await gateway.run('create', 'token', 'thief', '-n', namespaces.a, '--audience=gateway')
    for (const payer of [victim, thief]) {
      const { status, error } = await post(token, formatPayer(payer))
      assert.deepEqual([status, error?.code], [403, 'forbidden'])
    }
    const account = await gateway.run('create', 'token', 'thief', '-n', namespaces.a)
    assert.equal((await post(account, pay)).status, 403, 'with a token for the API server')
    assert.deepEqual([upstream.seen.length, await accounts()], before)
  })

  await t.test('a payer that is not there pays nothing', async () => {
    const before = upstream.seen.length
    for (const wrong of [
      { ...victim, uid: thief.uid },
      { ...victim, uid: randomUUID() },
      { ...victim, name: 'unknown' },
      { ...victim, namespace: namespaces.b },
    ]) {
      const { status, error } = await post(tokens.state, formatPayer(wrong))
      assert.deepEqual([status, error?.code], [403, 'forbidden'], formatPayer(wrong))
    }
    assert.equal(upstream.seen.length, before)
  })

  await t.test('hostile headers are a 400 that names the header', async () => {
    const others = ['', ',', pay.toUpperCase(), `${pay}, ${pay}`, `${pay}/x`, '%00', '../..', 'a'.repeat(8_000)]
    for (const other of others) {
      const { status, error } = await post(tokens.state, other)
      assert.deepEqual([status, error?.param], [400, 'X-Mesh-Payer'], other.slice(0, 80))
    }
    for (const path of ['messages', 'responses']) {
      const { status } = await post(tokens.state, pay, path)
      assert.equal(status, 400, path)
    }
  })
})
