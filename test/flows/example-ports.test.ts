import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'
import { createPageShell } from '../docs/page-shell.ts'
import { commandsOf } from './readme.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))
const folder = join(examples, 'agents')
const namespace = 'default'

interface Language {
  readonly name: string
  /** Programs that it needs. */
  readonly programs: readonly string[]
  command(t: TestContext): readonly string[] | Promise<readonly string[]>
}

const languages: readonly Language[] = [
  { name: 'python', programs: ['python3'], command: () => ['python3', join(folder, 'ports.py')] },
  { name: 'typescript', programs: [], command: () => [process.execPath, join(folder, 'ports.ts')] },
  { name: 'shell', programs: ['socat', 'curl', 'jq'], command: () => [join(folder, 'ports.sh')] },
  { name: 'go', programs: ['go'], command: async (t) => [await buildGo(t)] },
]

// The same answer in each language: `used` has the status of each request, by the part of the platform.
const used = {
  context: 200,
  append: 201,
  remember: 201,
  recall: 200,
  knowledge: 200,
  model: 200,
  delegate: 200,
  message: 200,
  feedback: 202,
}
// Of a machine that runs many tests at once.
const patienceMs = 120_000
const question = 'I am ada@example.com. When is a refund paid?'

// One platform for all languages. The Python one is the agent of the page itself.
test(
  'R2-UX-4: examples: the agent of every port runs in Python, TypeScript, shell and Go',
  // A machine without a cache compiles Go's standard library first.
  { ...needs('kubectl'), timeout: 600_000 },
  async (t) => {
    const platform = await sharedEmbedded()
    const job = createJob(platform)
    const page = commandsOf(join(examples, 'README.md'), 'Every port')
    const [prepare = '', create = '', look = ''] = page
    assert.equal(page.length, 3)
    const sh = createPageShell(t, 'examples/README.md', platform).run
    assert.match(await sh(prepare), /"items"/)
    await job.member('ports-peer')
    for (const { name, programs, command } of languages) {
      const missing = programs.filter((program) => findOnPath(program) === undefined)
      const skip = missing.length > 0 && `not installed: ${missing.join(', ')}`
      await t.test(name, { skip }, async (sub) => {
        const agent = `ports-${name}`
        await job.create(agent, await command(sub))
        await job.member(agent)
        await job.uses(agent)
      })
    }
    await t.test('the commands of examples/README.md', { skip: findOnPath('python3') === undefined }, async () => {
      const shown = await sh(`${create}\n${look}`)
      assert.match(shown, /"knowledge":200/)
      assert.match(shown, /"kind":"delegate"/)
      assert.match(shown, /"entries":\[\{"question":/)
    })
    await t.test('what is not bound is skipped', async () => {
      await job.createBare('ports-bare', await languages[1]?.command(t))
      const { output } = await job.invoke('ports-bare', 'Say hello.')
      assert.deepEqual(output, { answer: 'Say hello.', earlier: 0, used: { feedback: 202 } })
    })
  },
)

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

interface Entry {
  readonly text: string
  readonly runId: string
}

function createJob({ send, tokens }: Platform) {
  const ask = async <T>(method: string, path: string, status: number, body?: unknown): Promise<T> => {
    const answer = await send({ method, path: `/api${path}`, bearer: tokens.developer, ...(body ? { body } : {}) })
    assert.equal(answer.status, status, answer.text)
    return answer.json<T>()
  }
  const example = parse(readFileSync(join(examples, 'ports.yaml'), 'utf8')) as { readonly runtime: object }
  const add = (config: object) => ask('POST', '/agents', 201, { namespace, config })
  const invoke = async (name: string, input: string, conversationId?: string): Promise<Invoked> => {
    const agent = { namespace, name }
    const answer = await ask<Invoked>('POST', '/invoke', 200, { agent, input, conversationId, timeout: '120s' })
    assert.equal(answer.state, 'succeeded', JSON.stringify(answer))
    return answer
  }
  /** Waits for a row of the audit log: it is written after the act. */
  const audited = async (fits: (row: AuditRow) => boolean): Promise<void> => {
    const end = performance.now() + patienceMs
    for (;;) {
      const answer = await send({ path: `/api/audit?namespace=${namespace}&limit=200`, bearer: tokens.admin })
      assert.equal(answer.status, 200, answer.text)
      if (answer.json<{ items: readonly AuditRow[] }>().items.some(fits)) return
      assert.ok(performance.now() < end, `no row fits ${String(fits)}`)
      await pause(50)
    }
  }
  /** The tree has the calls of the model and of the other agent, with the cost. */
  const showsTree = async (runId: string): Promise<void> => {
    const { root } = await ask<{ root: Node }>('GET', `/runs/${runId}/tree`, 200)
    const kinds = kindsBelow(root)
    assert.ok(kinds.includes('model'), kinds.join(', '))
    assert.equal(kinds.filter((kind) => kind === 'delegate').length, 2, 'delegated, and a message')
    assert.match(JSON.stringify(root), /"cost":\{"amount":"0\.0*[1-9]/)
    const { usage } = await ask<{ usage: { inputTokens: number } }>('GET', `/runs/${runId}`, 200)
    assert.ok(usage.inputTokens > 0)
  }
  const showsMemory = async (agent: string, runId: string): Promise<void> => {
    const path = `/agents/${namespace}/${agent}/memory`
    const { session } = await ask<{ session: { entries: unknown } }>('GET', `${path}?conversationId=talk`, 200)
    assert.deepEqual(session.entries, [{ question }])
    const { items } = await ask<{ items: readonly Entry[] }>('GET', path, 200)
    assert.deepEqual(
      items.map((item) => [item.text, item.runId]),
      [[question, runId]],
    )
  }
  const showsScore = async (runId: string): Promise<void> => {
    const path = `/feedback?namespace=${namespace}&runId=${runId}`
    const { items } = await ask<{ items: Record<string, unknown>[] }>('GET', path, 200)
    assert.deepEqual(
      items.map(({ name, value, source }) => [name, value, source]),
      [['ports', Object.keys(used).length - 1, 'agent']],
    )
  }
  return {
    create: (name: string, command: readonly string[]) =>
      add({ ...example, name, runtime: { ...example.runtime, command } }),
    createBare: (name: string, command: readonly string[] | undefined) =>
      add({ name, model: { route: 'ports' }, runtime: { command } }),
    invoke,
    /** Waits until the agent is a member of the registry. */
    async member(name: string): Promise<void> {
      for (;;) {
        const { status } = await ask<Registry>('GET', `/agentregistries/${namespace}/ports`, 200)
        if (status?.members?.some((one) => one.name === name) === true) return
        await pause(50)
      }
    },
    /** Invokes the agent, and asserts what tree, memory, scores and audit log show of it. */
    async uses(agent: string): Promise<void> {
      const first = await invoke(agent, question, 'talk')
      assert.deepEqual(first.output.used, used, JSON.stringify(first))
      assert.match(first.output.answer, /MOCK_OK/)
      assert.equal(first.output.earlier, 0)
      const { runId } = first
      await showsTree(runId)
      await showsMemory(agent, runId)
      await showsScore(runId)
      const events = await send({ path: `/api/runs/${runId}/events`, bearer: tokens.developer })
      assert.match(events.text, /event: guardrail\.decided/)
      await audited((row) => row.resource_kind === 'Feedback' && row.resource_name === runId)
      await audited((row) => row.resource_kind === 'AgentDeployment' && row.resource_name === agent)
      await audited((row) => row.resource_kind === 'KnowledgeBase' && row.action === 'ingest')
    },
  }
}

interface AuditRow {
  readonly action: string
  readonly resource_kind: string
  readonly resource_name: string
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
