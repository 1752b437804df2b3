import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const folder = fileURLToPath(new URL('../../examples/agents/', import.meta.url))
const namespace = 'default'

interface Language {
  readonly name: string
  readonly needs: readonly string[]
  command(t: TestContext): readonly string[] | Promise<readonly string[]>
}

const languages: readonly Language[] = [
  { name: 'python', needs: ['python3'], command: () => ['python3', join(folder, 'ports.py')] },
  { name: 'typescript', needs: [], command: () => [process.execPath, join(folder, 'ports.ts')] },
  { name: 'shell', needs: ['socat', 'curl', 'jq'], command: () => [join(folder, 'ports.sh')] },
  { name: 'go', needs: ['go'], command: async (t) => [await buildGo(t)] },
]

// The same answer in each language: `used` has the status of each request, by the part of the platform.
const bound = { model: 200, delegate: 200, feedback: 202 }

// One platform for all languages.
test('examples: the agent of every port runs in Python, TypeScript, shell and Go', async (t) => {
  const platform = await sharedEmbedded()
  const job = createJob(platform)
  await addRoute(platform.admin, namespace, 'priced', { provider: { type: 'mock' }, route: { prices } })
  await job.registry()
  await job.create('ports-peer', { systemPrompt: 'You help.', ...bindings })
  for (const { name, needs, command } of languages) {
    const missing = needs.filter((program) => findOnPath(program) === undefined)
    const skip = missing.length > 0 && `not installed: ${missing.join(', ')}`
    await t.test(name, { skip }, async (sub) => {
      const agent = `ports-${name}`
      const env = { MODEL: 'priced', PEER: 'ports-peer' }
      await job.create(agent, { runtime: { command: await command(sub), env }, budget: { amount: '1' }, ...bindings })
      await job.member(agent)
      const first = await job.invoke(agent, 'Say hello.')
      assert.deepEqual(first.output.used, { ...bound, ...usedOfBindings }, JSON.stringify(first))
      assert.match(first.output.answer, /MOCK_OK/)
      assert.equal(first.output.earlier, 0)
      const scores = await job.list(`/feedback?namespace=${namespace}&runId=${first.runId}`)
      const uses = Object.keys(first.output.used).length
      assert.deepEqual(
        scores.map(({ name: of, value, source }) => [of, value, source]),
        [['ports', uses - 1, 'agent']],
      )
      await job.shows(first.runId)
    })
  }
  await t.test('what is not bound is skipped', async () => {
    await job.create('ports-bare', { runtime: { command: await languages[0]?.command(t) } })
    const { output } = await job.invoke('ports-bare', 'Say hello.')
    assert.deepEqual(output, { answer: 'Say hello.', earlier: 0, used: { feedback: 202 } })
  })
})

const prices = { inputPerMillion: '1', outputPerMillion: '2' }
// Parts of the spec that open further ports, and the statuses of their requests.
const registry = 'ports-team'
const bindings = { registries: [registry], memory: { session: {}, longTerm: {} } }
const usedOfBindings = { context: 200, append: 201, remember: 201, recall: 200, knowledge: 404, message: 200 }

interface Invoked {
  readonly runId: string
  readonly state: string
  readonly output: {
    readonly answer: string
    readonly earlier: number
    readonly used: Readonly<Record<string, number>>
  }
}

interface Registry {
  readonly status?: { readonly members?: readonly { readonly name: string }[] }
}

interface Node {
  readonly kind: string
  readonly children: readonly Node[]
}

function createJob({ send, tokens }: Platform) {
  const ask = async <T>(method: string, path: string, status: number, body?: unknown): Promise<T> => {
    const answer = await send({ method, path: `/api${path}`, bearer: tokens.developer, ...(body ? { body } : {}) })
    assert.equal(answer.status, status, answer.text)
    return answer.json<T>()
  }
  return {
    create: (name: string, more: object) =>
      ask('POST', '/agents', 201, { namespace, config: { name, model: { route: 'priced' }, ...more } }),
    async invoke(name: string, input: string): Promise<Invoked> {
      const answer = await ask<Invoked>('POST', '/invoke', 200, { agent: { namespace, name }, input, timeout: '120s' })
      assert.equal(answer.state, 'succeeded', JSON.stringify(answer))
      return answer
    },
    registry: () => ask('POST', '/agentregistries', 201, { metadata: { namespace, name: registry }, spec: {} }),
    /** Waits until the agent is a member of the registry. */
    async member(name: string): Promise<void> {
      for (;;) {
        const { status } = await ask<Registry>('GET', `/agentregistries/${namespace}/${registry}`, 200)
        if (status?.members?.some((one) => one.name === name) === true) return
        await pause(50)
      }
    },
    list: async (path: string) => (await ask<{ items: Record<string, unknown>[] }>('GET', path, 200)).items,
    /** The tree has the model call with its cost and the delegation, and the audit log the score. */
    async shows(runId: string): Promise<void> {
      const { root } = await ask<{ root: Node }>('GET', `/runs/${runId}/tree`, 200)
      const kinds = new Set(kindsBelow(root))
      for (const kind of ['model', 'delegate']) assert.ok(kinds.has(kind), `${kind} in ${[...kinds].join(', ')}`)
      assert.match(JSON.stringify(root), /"cost":\{"amount":"0\.0*[1-9]/)
      const path = `/api/audit?namespace=${namespace}&action=create&limit=200`
      for (;;) {
        const answer = await send({ path, bearer: tokens.admin })
        assert.equal(answer.status, 200, answer.text)
        const { items: rows } = answer.json<{ items: { resourceKind: string; resourceName: string }[] }>()
        if (rows.some(({ resourceKind: kind, resourceName }) => kind === 'Feedback' && resourceName === runId)) return
        await pause(50)
      }
    },
  }
}

function kindsBelow({ kind, children }: Node): readonly string[] {
  return [kind, ...children.flatMap(kindsBelow)]
}

// Without blocking: the first build compiles the standard library, and idle connections would end meanwhile.
async function buildGo(t: TestContext): Promise<string> {
  const built = tempFolder('go')
  t.after(built.remove)
  const program = join(built.path, 'ports')
  await promisify(execFile)(findOnPath('go') ?? 'go', ['build', '-o', program, join(folder, 'ports.go')])
  return program
}
