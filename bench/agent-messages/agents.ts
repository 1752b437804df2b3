import { setTimeout as sleep } from 'node:timers/promises'
import { allowInvoke } from '#test/flows/platform/allow-invoke.ts'
import { clusterOf } from '#test/flows/platform/embedded.ts'
import type { AllProcess } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'

const namespace = 'default'
// Responds with the address of its launcher's port for calls.
const caller = `require('node:http').createServer((q, a) => { a.setHeader('content-type', 'application/json');
    q.resume(); a.end(JSON.stringify({ output: process.env.A2A_PORT })) }).listen(process.env.AGENT_PORT, '127.0.0.1')`
const callee = `require('node:http').createServer((q, a) => { a.setHeader('content-type', 'application/json');
    q.resume(); q.on('end', () => a.end('{"output":"pong"}')) }).listen(process.env.AGENT_PORT, '127.0.0.1')`

/** Creates two agents of one registry. Returns the path and origin at which the first one calls the second. */
export async function startCaller(
  t: Scope,
  { ready }: AllProcess,
): Promise<{ readonly origin: string; readonly path: string }> {
  const api = (path: string, body?: object) =>
    fetch(`${ready.url}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${ready.tokens.developer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const create = async (path: string, body: object): Promise<void> => {
    const made = await api(path, body)
    if (made.status !== 201) throw new Error(await made.text())
  }
  const roles = [{ name: 'all', agents: [{ name: 'caller' }, { name: 'callee' }] }]
  const spec = { roles, calls: [{ from: ['all'], to: ['*'] }] }
  await create('/agentregistries', { metadata: { namespace, name: 'bench' }, spec })
  const limits = { concurrency: 64 }
  for (const [name, program] of Object.entries({ caller, callee }))
    await create('/agents', {
      namespace,
      config: { name, runtime: { command: ['node', '-e', program] }, registries: ['bench'], limits },
    })
  // A call outside of a run is one of the agent's own account.
  const cluster = clusterOf(ready.kubeconfig)
  const kube = createSend(t, cluster.server, cluster.ca)
  await allowInvoke({ kube, tokens: ready.tokens }, `system:serviceaccount:${namespace}:caller`, 'callee')
  const path = '/amp/callee'
  for (;;) {
    const answer = await api('/invoke', { agent: { namespace, name: 'caller' }, input: 1 })
    const { output } = (await answer.json()) as { output?: string }
    const origin = `http://127.0.0.1:${output}`
    if (output !== undefined && (await answers(`${origin}${path}`))) return { origin, path }
    await sleep(200)
  }
}

// The launcher learns of its registry after its start.
async function answers(url: string): Promise<boolean> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: '1' })
  await answer.arrayBuffer()
  return answer.status === 200
}
