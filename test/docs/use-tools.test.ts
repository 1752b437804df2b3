import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CostTotals } from '#schemas/api/cost.ts'
import type { Fixture } from '#schemas/runs/fixture.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { startProcess, untilReady } from '#test/harness/server-process.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Platform } from '../flows/platform/running-platform.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { commandsOf } from '../flows/readme.ts'
import { createPageShell } from './page-shell.ts'
import type { PageShell } from './page-shell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = join(root, 'docs/how-to/use-tools.md')
const program = `require('http').createServer((_, answer) => answer.end(process.env.DISCOVERY_PORT)).listen(process.env.AGENT_PORT)`

/** Copies the files of the page, with free ports in place of theirs. */
async function copyExamples(folder: string): Promise<readonly number[]> {
  const ports = [await freePort(), await freePort()]
  mkdirSync(join(folder, 'examples/agents'), { recursive: true })
  cpSync(join(root, 'examples/tools.yaml'), join(folder, 'examples/tools.yaml'))
  for (const name of ['tools-servers.mjs', 'tools-objects.yaml']) {
    const text = readFileSync(join(root, 'examples/agents', name), 'utf8')
    const own = text.replaceAll('8091', String(ports[0])).replaceAll('8092', String(ports[1]))
    writeFileSync(join(folder, 'examples/agents', name), own)
  }
  return ports
}

async function startServers(scope: Scope, folder: string, ports: readonly number[]): Promise<void> {
  const log = join(folder, 'servers.log')
  const servers = join(folder, 'examples/agents/tools-servers.mjs')
  const server = startProcess({ program: process.execPath, args: [servers], log })
  scope.after(() => server.end('SIGTERM'))
  await untilReady(server, async () => ports.every((port) => readFileSync(log, 'utf8').includes(`:${port}/mcp`)))
}

interface Node {
  readonly kind: string
  readonly name: string
  readonly children: readonly Node[]
}

test(
  'R2-UX-4, R2-UX-16: the commands of docs/how-to/use-tools.md bind tools of both revisions, pause and resume a run, and open its trace, recording, cost and share',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const shell = createPageShell(t, 'use-tools.md', platform, new Set(['examples']))
    await startServers(t, shell.folder, await copyExamples(shell.folder))
    const [, catalog] = await shell.section('Bind tools to an agent')
    const { items } = JSON.parse(catalog ?? '') as { items: readonly { name: string }[] }
    const names = new Set(items.map(({ name }) => name))
    for (const name of ['find_order', 'refund_order', 'next_day']) assert.ok(names.has(name), name)

    const output = await shell.run(commandsOf(page, 'Run it').join('\n'))
    assert.match(output, /"state":"paused"/)
    assert.match(output, /"tool":"orders_refund_order"/)
    const tree = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as { root: Node }
    const tools = below(tree.root).filter(({ kind }) => kind === 'tool')
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['orders_find_order', 'calendar_next_day', 'orders_find_order', 'calendar_next_day', 'orders_refund_order'],
    )
    assert.match(output, /"output":\{"refunded":42,"day":"Tuesday","reply":"MOCK_OK"\}/)

    const run = /"id":"([0-9a-f-]{36})"/.exec(output)?.[1] ?? ''
    const [trace = '', recorded = '', cost = ''] = await openWhenWritten(shell, run)
    for (const { name } of [...tools, { name: 'model call' }]) assert.ok(trace.includes(`${name}"`), name)
    const { tool, model } = JSON.parse(recorded) as Fixture
    assert.deepEqual(
      tool.map(({ request }) => request.name),
      tools.map(({ name }) => name),
    )
    assert.deepEqual(
      model.map(({ request }) => request.body?.model),
      ['tools'],
    )
    assert.deepEqual(costOf(cost), { calls: 1, complete: true, cost: [{ amount: '0.000025', currency: 'USD' }] })
    const shared = await shell.run([`RUN=${run}`, ...commandsOf(page, 'Share it')].join('\n'))
    assert.match(shared, /"state":"succeeded"/)
    assert.match(shared, /orders_refund_order/)
    assert.match(shared, /"model":"mock-1"/)

    const port = await portOf(platform)
    const called = await shell.run(
      [`DISCOVERY_PORT=${port}`, ...commandsOf(page, 'Call a tool from a program')].join('\n'),
    )
    assert.match(called, /"name":"orders_refund_order".*"requiresApproval":true/)
    assert.match(called, /\\"total\\":42/)
  },
)

/** The port of an agent with the same tools, which answers with it. */
async function portOf({ send, tokens: { developer: bearer } }: Platform): Promise<string> {
  const agent = { namespace: 'default', name: 'tools-port' }
  const spec = {
    runtime: { command: [process.execPath, '-e', program] },
    tools: ['orders', 'calendar'].map((name) => ({ name, bindingRef: { name } })),
  }
  const post = (path: string, body: object) => send({ method: 'POST', path: `/api${path}`, bearer, body })
  await post('/agents', { metadata: agent, spec })
  const answer = await post('/invoke', { agent, input: {} })
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ output: string }>().output
}

/** What the calls of the agent cost, from the breakdown of the namespace, or undefined. */
function costOf(breakdown: string): Partial<CostTotals> | undefined {
  const { items } = JSON.parse(breakdown) as { items: readonly (CostTotals & { agent: { name: string } | null })[] }
  const own = items.find(({ agent }) => agent?.name === 'tools')
  return own === undefined ? undefined : { calls: own.calls, complete: own.complete, cost: own.cost }
}

/** Trace, recording and cost of a run: its last spans, its recording and its cost follow its end. */
async function openWhenWritten(shell: PageShell, run: string): Promise<readonly string[]> {
  const blocks = commandsOf(page, 'See traces, recording and cost')
  // A recording without a part yet is a 404.
  const open = () => Promise.all(blocks.map((block) => shell.run(`RUN=${run}\n${block}`).catch(() => '')))
  for (const end = performance.now() + 120_000; ; await pause(200)) {
    const opened = await open()
    const [trace = '', recorded = '', cost = ''] = opened
    const isWhole = recorded.includes('"complete":true') && trace.includes('"model call"')
    if (isWhole && costOf(cost || '{"items":[]}') !== undefined) return opened
    assert.ok(performance.now() < end, opened.join('\n'))
  }
}

function below(node: Node): readonly Node[] {
  return [node, ...node.children.flatMap(below)]
}
