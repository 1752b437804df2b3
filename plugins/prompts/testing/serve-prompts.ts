import type { TestContext } from 'node:test'
import type { Database } from '#core/database/database.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { serveBuiltIn } from '#test/contract/plugins/serve-plugin.ts'
import { prompts } from '../index.ts'

// Its contributions need the plugin agents, which needs a cluster.
const alone: AnyPlugin = { ...prompts, contributions: () => [] }

/** A prompt in a response. */
export interface ShownPrompt {
  readonly version: number
  readonly type: string
  readonly text?: string
  readonly contentHash: string
  readonly parent: number | null
  readonly labels: Readonly<Record<string, number>>
}

/** An agent with a prompt, as far as the cluster of these tests knows it. */
export interface TestAgent {
  readonly name: string
  readonly prompt: { readonly name: string; readonly version?: number; readonly label?: string }
}

/** Serves the plugin with the namespaces `a` and `b`, and a cluster that lists these agents. */
export async function servePrompts(
  t: TestContext,
  open: (t: TestContext) => Promise<Database>,
  { agents = [], settings = '' }: { readonly agents?: readonly TestAgent[]; readonly settings?: string } = {},
) {
  const items = () => agents.map(({ name, prompt }) => ({ metadata: { name }, spec: { prompt } }))
  const cluster = { list: async () => ({ items: items(), resourceVersion: '1' }) } as unknown as KubeClient
  const served = await serveBuiltIn(t, open, { plugin: alone, path: '/api/promptversions', cluster, settings })
  const { ask } = served
  const post = (body: object, name = 'greet') => ask('POST', '', { body: { namespace: 'a', name, ...body } })
  const put = (body: object, headers: object = {}) => ask('PUT', '/a/greet', { body, headers })
  const read = async (query = '') => (await ask('GET', `/a/greet${query}`)).json<ShownPrompt>()
  const yaml = (text: string) => ask('POST', '', { body: text, headers: { 'content-type': 'application/yaml' } })
  return { ...served, post, put, read, yaml }
}
