import { setTimeout as sleep } from 'node:timers/promises'
import type { AllProcess } from '#test/flows/platform/embedded.ts'

const namespace = 'default'
const name = 'bench'
const program = `require('node:http').createServer((q, a) => { a.setHeader('content-type', 'application/json');
    q.resume(); a.end(JSON.stringify({ output: process.env.DISCOVERY_PORT })) }).listen(process.env.AGENT_PORT, '127.0.0.1')`

/** Binds the tools of a server to an agent, as its entry `x`. Returns the endpoint of its launcher, which knows the tools. */
export async function startToolAgent({ ready }: AllProcess, url: string): Promise<string> {
  const api = (path: string, body: object) =>
    fetch(`${ready.url}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.tokens.developer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const create = async (path: string, body: object): Promise<void> => {
    const made = await api(path, body)
    if (made.status !== 201) throw new Error(await made.text())
  }
  const metadata = { namespace, name }
  await create('/mcpservers', { metadata, spec: { url } })
  await create('/mcptoolbindings', { metadata, spec: { serverRef: { name } } })
  const tools = [{ name: 'x', bindingRef: { name } }]
  await create('/agents', { namespace, config: { name, runtime: { command: ['node', '-e', program] }, tools } })
  for (;;) {
    const answer = await api('/invoke', { agent: metadata, input: 1 })
    const { output } = (await answer.json()) as { output?: string }
    const endpoint = `http://127.0.0.1:${output}`
    if (output !== undefined && (await knowsTools(endpoint))) return endpoint
    await sleep(200)
  }
}

async function knowsTools(endpoint: string): Promise<boolean> {
  const answer = await fetch(`${endpoint}/tools`)
  const { items = [] } = (await answer.json()) as { items?: readonly unknown[] }
  return items.length > 0
}
