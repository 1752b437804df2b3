import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { AgentsApi } from '#plugins/agents/contract/api.ts'
import type { AgentDocumentOwner, AgentGate, AgentReplicas } from '#plugins/agents/contract/points.ts'
import { agents } from '#plugins/agents/index.ts'
import { agentOf, declarative } from '#plugins/agents/testing/agent-fixture.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/extend-agents.md', import.meta.url))

test('the plugin of docs/how-to/extend-agents.md tries, scales, stores, generates and creates', async (t) => {
  const { path, remove } = tempFolder('extend-agents')
  t.after(remove)
  const file = join(path, 'rollouts.ts')
  writeFileSync(file, filesOfPage(page).get('rollouts.ts') ?? '')
  const [plugin] = await loadThirdParties(['./rollouts.ts'], { folder: path, plugins: [agents], profile: 'open' })
  assert.ok(plugin)
  const made: string[] = []
  const api: AgentsApi = {
    references: () => assert.fail(),
    generate: async () => ({ config: { systemPrompt: 'Hello.' }, explanation: '', warnings: [] }),
    create: async (_caller, access, agent) => {
      made.push(`${access.namespace}/${agent.metadata.name}: ${agent.spec.systemPrompt}`)
      return agent
    },
  }
  const reviewed: string[] = []
  const caller = {
    review: async (verb: string, resource: string, { namespace }: { readonly namespace: string }) => {
      reviewed.push(`${verb} ${resource} in ${namespace}`)
      return { namespace }
    },
  } as unknown as Caller
  const services = plugin.create({} as never, {}, { agents: api } as never) as {
    copy: (caller: Caller, namespace: string) => Promise<unknown>
  }
  await services.copy(caller, 'demo')
  assert.deepEqual([made, reviewed], [['demo/greeter: Hello.'], ['create agentdeployments in demo']])

  const contributed = new Map((plugin.contributions?.({}) ?? []).map(({ point, value }) => [point, value]))
  const gate = contributed.get('agents.gate') as AgentGate
  const replicas = contributed.get('agents.replicas') as AgentReplicas
  const documents = contributed.get('agents.document') as AgentDocumentOwner
  const agent = agentOf(declarative)
  const labelled = (labels: Record<string, string>) => ({ ...agent, metadata: { ...agent.metadata, labels } })
  const cluster = {} as never
  const candidate = { agent, revision: 'bot-2', deployed: 'bot-1' }
  assert.deepEqual(await gate({ ...candidate, deployed: undefined }, cluster), undefined)
  assert.equal((await gate(candidate, cluster))?.candidate, true)
  assert.equal(await gate({ ...candidate, agent: labelled({ 'acme.example/approved': 'bot-2' }) }, cluster), undefined)
  assert.equal(await replicas(agent, cluster), undefined)
  assert.equal((await replicas(labelled({ 'acme.example/asleep': 'true' }), cluster))?.replicas, 0)
  const document = { kind: documents.kind, namespace: 'demo' as never, name: 'greet', spec: {} }
  await documents.create(caller, document, { dryRun: true, signal: AbortSignal.timeout(1_000) })
  assert.equal(reviewed.at(-1), 'create prompts in demo')
})
